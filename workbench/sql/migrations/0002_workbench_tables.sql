-- The workbench's own records: what was imported, and the logged recalls in the shape that replays read.

CREATE TABLE wb.imports (
    import_id BIGINT NOT NULL,
    source VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    finished_at TIMESTAMP WITH TIME ZONE NOT NULL,
    report VARCHAR NOT NULL
);

-- One row a logged query: what a replay has to know about it.
CREATE TABLE wb.logged_queries (
    query_id VARCHAR NOT NULL,
    now TIMESTAMP WITH TIME ZONE,
    session_id VARCHAR,
    client_type VARCHAR,
    traffic VARCHAR NOT NULL,
    query_tokens INTEGER NOT NULL,
    tokens_logged BOOLEAN NOT NULL,
    replayable BOOLEAN NOT NULL,
    query_char_limit INTEGER,
    query_truncated BOOLEAN,
    recency_logged BOOLEAN,
    strategy VARCHAR,
    embedding_model VARCHAR,
    duration_ms INTEGER
);

-- One row a logged (query, URI): unweighted signals, priority, age, and what production made of them.
CREATE TABLE wb.logged_candidates (
    query_id VARCHAR NOT NULL,
    uri VARCHAR NOT NULL,
    node_uuid VARCHAR,
    exact DOUBLE,
    glossary_semantic DOUBLE,
    dense_gist DOUBLE,
    dense_question DOUBLE,
    lexical_gist DOUBLE,
    lexical_question DOUBLE,
    gist_weight DOUBLE,
    question_weight DOUBLE,
    priority INTEGER NOT NULL,
    priority_source VARCHAR NOT NULL,
    age_days DOUBLE,
    age_source VARCHAR NOT NULL,
    query_tokens INTEGER NOT NULL,
    uri_order INTEGER NOT NULL,
    is_boot BOOLEAN NOT NULL,
    logged_exact DOUBLE,
    logged_glossary_semantic DOUBLE,
    logged_dense DOUBLE,
    logged_lexical DOUBLE,
    logged_view DOUBLE,
    logged_priority DOUBLE,
    logged_multi_view DOUBLE,
    logged_recency DOUBLE,
    logged_score DOUBLE,
    logged_shown BOOLEAN NOT NULL,
    logged_position INTEGER,
    logged_displayed_position INTEGER,
    used BOOLEAN NOT NULL,
    mark_source VARCHAR
);

-- Queries whose rollups no source held: they are derived from recall_events, and anew when those change.
CREATE TABLE wb.derived_queries (
    query_id VARCHAR NOT NULL
);
