-- What is known beyond the server's own marks: answers given by hand, and what agents did, seen in their transcripts or
-- by the workbench's own service. Only addresses, identifiers and times are needed; texts may be NULL.

-- One row an answer, never changed: the newest of a (query_id, node or address) counts. grade is yes, no, unsure or
-- withdrawn; memory_digest is that of the content that was judged.
CREATE TABLE wb.hand_labels (
    label_id VARCHAR NOT NULL,
    query_id VARCHAR NOT NULL,
    uri VARCHAR NOT NULL,
    node_uuid VARCHAR,
    grade VARCHAR NOT NULL,
    labelled_by VARCHAR,
    labelled_at TIMESTAMP WITH TIME ZONE NOT NULL,
    memory_digest VARCHAR,
    source VARCHAR NOT NULL
);

-- One row a prompt that an agent was given. source is claudecode, codex (transcripts) or service.
CREATE TABLE wb.agent_prompts (
    prompt_id VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    client_type VARCHAR,
    session_id VARCHAR,
    prompted_at TIMESTAMP WITH TIME ZONE,
    query_text VARCHAR
);

-- One row a recall block that an agent really saw, with the addresses in it in their order.
CREATE TABLE wb.agent_recalls (
    recall_id VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    client_type VARCHAR,
    session_id VARCHAR,
    prompt_id VARCHAR,
    query_id VARCHAR,
    seen_at TIMESTAMP WITH TIME ZONE,
    uris VARCHAR[] NOT NULL
);

-- One row a search on demand, with the addresses that it returned in their order.
CREATE TABLE wb.agent_searches (
    search_id VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    client_type VARCHAR,
    session_id VARCHAR,
    searched_at TIMESTAMP WITH TIME ZONE,
    query_text VARCHAR,
    uris VARCHAR[] NOT NULL
);

-- One row a call that opened a memory. given_session_id and given_query_id are what the agent handed over; found says
-- whether the call returned a memory, NULL where that was not seen.
CREATE TABLE wb.agent_opens (
    open_id VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    client_type VARCHAR,
    session_id VARCHAR,
    opened_at TIMESTAMP WITH TIME ZONE,
    uri VARCHAR NOT NULL,
    given_session_id VARCHAR,
    given_query_id VARCHAR,
    found BOOLEAN
);
