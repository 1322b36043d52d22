-- Vectors that were computed or handed in here, one a model and normalised text.

CREATE TABLE wb.embeddings (
    model VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    vector FLOAT[] NOT NULL
);
