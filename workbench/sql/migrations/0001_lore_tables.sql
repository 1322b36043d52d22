-- Lore's tables under Lore's names, and the workbench's own records in schema wb.

CREATE TABLE nodes (
    uuid VARCHAR NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE memories (
    id VARCHAR NOT NULL,
    node_uuid VARCHAR NOT NULL,
    content VARCHAR,
    deprecated BOOLEAN,
    migrated_to VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE edges (
    id VARCHAR NOT NULL,
    parent_uuid VARCHAR,
    child_uuid VARCHAR NOT NULL,
    priority INTEGER,
    disclosure VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE paths (
    domain VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    edge_id VARCHAR NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE glossary_keywords (
    id VARCHAR NOT NULL,
    keyword VARCHAR NOT NULL,
    node_uuid VARCHAR NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE memory_views (
    id VARCHAR NOT NULL,
    domain VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    uri VARCHAR NOT NULL,
    node_uuid VARCHAR,
    memory_id VARCHAR,
    priority INTEGER,
    disclosure VARCHAR,
    view_type VARCHAR NOT NULL,
    source VARCHAR,
    status VARCHAR,
    weight FLOAT,
    text_content VARCHAR NOT NULL,
    fts VARCHAR,
    embedding_model VARCHAR,
    embedding_dim INTEGER,
    embedding_vector FLOAT[],
    metadata VARCHAR,
    source_signature VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE,
    updated_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE glossary_term_embeddings (
    id VARCHAR NOT NULL,
    domain VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    uri VARCHAR NOT NULL,
    node_uuid VARCHAR,
    memory_id VARCHAR,
    priority INTEGER,
    disclosure VARCHAR,
    keyword VARCHAR NOT NULL,
    match_text VARCHAR,
    source VARCHAR,
    status VARCHAR,
    embedding_model VARCHAR,
    embedding_dim INTEGER,
    embedding_vector FLOAT[],
    metadata VARCHAR,
    source_signature VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE,
    updated_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE recall_queries (
    query_id VARCHAR NOT NULL,
    query_text VARCHAR NOT NULL,
    session_id VARCHAR,
    client_type VARCHAR,
    merged_count INTEGER,
    shown_count INTEGER,
    used_count INTEGER,
    duration_ms INTEGER,
    created_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE recall_query_candidates (
    id VARCHAR,
    query_id VARCHAR NOT NULL,
    node_uri VARCHAR NOT NULL,
    client_type VARCHAR,
    final_rank_score FLOAT,
    selected BOOLEAN NOT NULL,
    used_in_answer BOOLEAN NOT NULL,
    ranked_position INTEGER,
    displayed_position INTEGER,
    created_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE recall_events (
    id VARCHAR NOT NULL,
    query_text VARCHAR NOT NULL,
    node_uri VARCHAR NOT NULL,
    retrieval_path VARCHAR NOT NULL,
    view_type VARCHAR,
    pre_rank_score FLOAT,
    final_rank_score FLOAT,
    selected BOOLEAN NOT NULL,
    used_in_answer BOOLEAN NOT NULL,
    metadata VARCHAR NOT NULL USING COMPRESSION zstd,
    created_at TIMESTAMP WITH TIME ZONE,
    query_id VARCHAR,
    session_id VARCHAR,
    client_type VARCHAR,
    ranked_position INTEGER,
    displayed_position INTEGER
);

CREATE TABLE memory_events (
    id VARCHAR NOT NULL,
    event_type VARCHAR NOT NULL,
    node_uri VARCHAR NOT NULL,
    node_uuid VARCHAR,
    domain VARCHAR,
    path VARCHAR,
    source VARCHAR,
    session_id VARCHAR,
    before_snapshot VARCHAR,
    after_snapshot VARCHAR,
    details VARCHAR,
    created_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE app_settings (
    key VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE
);

