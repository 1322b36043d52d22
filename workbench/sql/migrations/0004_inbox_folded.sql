-- The files of the inbox whose entries the store has taken in, so that a kill neither loses nor doubles one.

CREATE TABLE wb.inbox_folded (
    file VARCHAR NOT NULL,
    folded_at TIMESTAMP WITH TIME ZONE NOT NULL
);
