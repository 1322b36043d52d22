-- The inverted index of the texts that prompts are looked up in, by tokenizer and by the digest of the text, so that an
-- edited memory gets rows of its own; and which tokenizer the source is taken to have used, and why.

CREATE TABLE wb.indexed_texts (
    tokenizer VARCHAR NOT NULL,
    digest VARCHAR NOT NULL
);

CREATE TABLE wb.text_lexemes (
    tokenizer VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,
    lexeme VARCHAR NOT NULL,
    positions USMALLINT NOT NULL
);

CREATE TABLE wb.tokenizer_choice (
    name VARCHAR NOT NULL,
    chosen_by VARCHAR NOT NULL,
    prompts INTEGER NOT NULL,
    simple_equal INTEGER NOT NULL,
    jieba_equal INTEGER NOT NULL
);
