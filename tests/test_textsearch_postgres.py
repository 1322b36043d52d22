"""The tokenizer `simple` and the rank against a PostgreSQL server, on random texts."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

import adbc_driver_postgresql.dbapi
import pytest
from golden_lexemes import any_query, lexemes, vector
from pg_server import in_database, run_sql, server

from workbench.textsearch import tokenizer
from workbench.textsearch.rank import pairs, rank_of

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(sys.platform != "linux", reason="the classes of characters are those of Linux"),
    pytest.mark.filterwarnings("ignore::platformdirs.unix.RuntimeDirWarning"),
]

SIMPLE = tokenizer("simple")
# Format characters are left out: from PostgreSQL 16 on they join a word, which they end in 15.
PIECES = [
    *"abZeE1290..--__//~@:<>&;#+?=\"'\\!%(), é中文\u0301\u3000\xa0٣½😀𠮷İΣx่ا",
    *(
        "ab",
        "foo",
        "com",
        "09",
        "://",
        "script",
        "<script>",
        "</STYLE ",
        "<!--",
        "-->",
        "<a ",
        "</a>",
        "&amp;",
        "http://",
    ),
    *("foo.com", "a.b", "..", "../", "./", "~/", "1e5", "1.5", "v1.2", "-1.2.3", "a-b", "-1x", "中-b", "h.io/p?x=1"),
    *("h.io/x/y?a&b", "/p", " x ", " 1 ", " y ", " 2 "),
]
QUESTION = """
SELECT plain::text, query::text, vector::text, vector @@ query, ts_rank_cd(vector, query, 32)::text
FROM (
    SELECT number, plain, to_tsquery('simple', replace(plain::text, ' & ', ' | ')) AS query, vector
    FROM (
        SELECT
            number,
            plainto_tsquery('simple', convert_from(decode(asked, 'hex'), 'UTF8')) AS plain,
            to_tsvector('simple', convert_from(decode(written, 'hex'), 'UTF8')) AS vector
        FROM unnest(string_to_array('{asked}', ','), string_to_array('{written}', ','))
            WITH ORDINALITY AS texts(asked, written, number)
    )
)
ORDER BY number
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with server() as started:
        run_sql(started, "CREATE DATABASE texts TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';")
        yield in_database(started, "texts")


def texts(chance: random.Random, count: int) -> list[str]:
    return [chance.choice(["", "", " "]).join(chance.choices(PIECES, k=chance.randint(1, 14))) for _ in range(count)]


def as_hex(values: list[str]) -> str:
    return ",".join(value.encode().hex() for value in values)


def test_random_texts_come_out_as_on_a_server(address: str) -> None:
    chance = random.Random(5)
    asked, written = texts(chance, 8000), texts(chance, 8000)
    with adbc_driver_postgresql.dbapi.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute(QUESTION.format(asked=as_hex(asked), written=as_hex(written)))
        answers = cursor.fetchall()
    counts = set()
    for question, text, (plain, query, document, matches, rank) in zip(asked, written, answers, strict=True):
        assert list(SIMPLE.query(question)) == lexemes(plain), question
        assert dict(SIMPLE.document(text)) == vector(document), text
        found, wanted = SIMPLE.any_of(question), any_query(query)
        assert found.lexemes == wanted.lexemes, question
        assert set(found.phrases) <= set(wanted.phrases), question
        count = pairs(SIMPLE.document(text), found)
        assert (count > 0) == matches, (question, text)
        assert rank_of(count) == float(rank), (question, text)
        counts.add(count)
    assert len(counts) > 5
