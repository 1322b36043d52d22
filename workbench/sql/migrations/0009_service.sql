-- What the workbench's own service keeps beside the events: reports that memories were used, so that one that comes
-- before its recall still counts, and which configuration answered where sessions were shared between two.

CREATE TABLE wb.usage_reports (
    report_id VARCHAR NOT NULL,
    query_id VARCHAR NOT NULL,
    uris VARCHAR[] NOT NULL,
    reported_by VARCHAR NOT NULL,
    session_id VARCHAR,
    client_type VARCHAR,
    preview VARCHAR,
    reported_at TIMESTAMP WITH TIME ZONE NOT NULL
);

CREATE TABLE wb.recall_arms (
    query_id VARCHAR NOT NULL,
    session_id VARCHAR,
    arm VARCHAR NOT NULL,
    seed VARCHAR NOT NULL,
    share DOUBLE NOT NULL,
    config VARCHAR NOT NULL
);
