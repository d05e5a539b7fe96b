#!/usr/bin/env python3
"""Makes the files of this folder, by pyarrow, Polars and DuckDB: what is in them follows from the number of the row."""

import datetime
import decimal
import pathlib

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
ROWS = range(1000)
DAY = datetime.date(2020, 1, 1)


def gap(i):
    return i % 7 == 3


def arrow_table(rows):
    zone = datetime.timezone.utc
    start = datetime.datetime(2020, 1, 1)
    return pa.table({
        "i": pa.array([i * i - 500 for i in rows], pa.int64()),
        "byte": pa.array([i % 200 - 100 for i in rows], pa.int8()),
        "u": pa.array([4_000_000_000 + i for i in rows], pa.uint32()),
        "x": pa.array([None if gap(i) else i / 4 for i in rows], pa.float64()),
        "f": pa.array([i / 8 for i in rows], pa.float32()),
        "n": pa.array([None if gap(i) else 3 * i for i in rows], pa.int32()),
        "b": pa.array([i % 3 == 0 for i in rows], pa.bool_()),
        "text": pa.array([None if gap(i) else f"row {i}" for i in rows], pa.string()),
        "kind": pa.array([f"kind {i % 5}" for i in rows], pa.string()).dictionary_encode(),
        "day": pa.array([DAY + datetime.timedelta(days=i) for i in rows], pa.date32()),
        "utc": pa.array([start.replace(tzinfo=zone) + datetime.timedelta(minutes=i) for i in rows], pa.timestamp("us", "Europe/Vienna")),
        "local": pa.array([start + datetime.timedelta(seconds=i) for i in rows], pa.timestamp("ms")),
        "wait": pa.array([datetime.timedelta(milliseconds=i) for i in rows], pa.duration("ns")),
        "price": pa.array([decimal.Decimal(i) / 4 for i in rows], pa.decimal128(12, 2)),
        "at": pa.array([{"lat": i / 2, "lon": None if gap(i) else -i} for i in rows], pa.struct([("lat", pa.float64()), ("lon", pa.int32())])),
        "pair": pa.array([[i, -i] for i in rows], pa.list_(pa.float32(), 2)),
        "none": pa.nulls(len(rows)),
    })


def gaps_table():
    """Three rows, the second of which is missing, of types that lie in others or are seldom."""
    decimals = [decimal.Decimal("1.25"), None, decimal.Decimal("-3.50")]
    return pa.table({
        "s": pa.array([{"a": 1, "b": {"c": "x"}}, None, {"a": None, "b": None}], pa.struct([("a", pa.int64()), ("b", pa.struct([("c", pa.string())]))])),
        "list": pa.array([[1, 2], None, [None, 4]], pa.list_(pa.float64(), 2)),
        "decimal32": pa.array(decimals, pa.decimal32(7, 2)),
        "decimal256": pa.array(decimals, pa.decimal256(50, 2)),
        "decimals": pa.array([None if d is None else {"d": [d]} for d in decimals], pa.struct([("d", pa.list_(pa.decimal128(10, 2), 1))])),
        "view": pa.array(["a", None, "longer than twelve bytes"], pa.string_view()),
        "bytes": pa.array([b"abc", None, b"xyz"], pa.binary(3)),
        "half": pa.array([1.5, None, -2], pa.float16()),
        "clock": pa.array([datetime.time(1, 2, 3), None, datetime.time(0)], pa.time32("s")),
        "second": pa.array([datetime.datetime(2020, 1, 1), None, datetime.datetime(1960, 1, 1)], pa.timestamp("s")),
        "number": pa.array([10, None, 10], pa.int64()).dictionary_encode(),
        "matrix": pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.int32(), (2, 2)), pa.array([[1, 2, 3, 4]] * 3, pa.list_(pa.int32(), 4))),
    })


def main():
    pq.write_table(gaps_table(), HERE / "gaps.parquet", row_group_size=2)
    table = arrow_table(ROWS)
    pq.write_table(table, HERE / "arrow.parquet", row_group_size=300, compression="snappy")
    with pq.ParquetWriter(HERE / "unequal.parquet", pa.schema([("i", pa.int64()), ("x", pa.float64())])) as writer:
        first = 0
        for count in (100, 1, 0, 250, 250, 399):
            part = table.select(["i", "x"]).slice(first, count)
            writer.write_table(part.cast(writer.schema), row_group_size=max(count, 1))
            first += count
    pq.write_table(pa.table({"i": pa.array([1, 2]), "many": pa.array([[1], [2, 3]]), "m": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64()))}),
                   HERE / "lists.parquet")
    pq.write_table(table.slice(0, 0), HERE / "no_rows.parquet")
    with pq.ParquetWriter(HERE / "no_groups.parquet", table.select(["i", "text"]).schema):
        pass
    pq.write_table(pa.table({}), HERE / "no_columns.parquet")

    polars.DataFrame({
        "i": [i * i - 500 for i in ROWS],
        "x": [None if gap(i) else i / 4 for i in ROWS],
        "text": [None if gap(i) else f"row {i}" for i in ROWS],
        "kind": polars.Series([f"kind {i % 5}" for i in ROWS], dtype=polars.Categorical),
        "day": [DAY + datetime.timedelta(days=i) for i in ROWS],
    }).write_parquet(HERE / "polars.parquet", row_group_size=300)

    duckdb.sql("""
        copy (select i * i - 500 as i, case when i % 7 = 3 then null else i / 4.0::double end as x,
                     case when i % 7 = 3 then null else 'row ' || i end as text, 'kind ' || (i % 5) as kind,
                     date '2020-01-01' + i::int as day, (i / 4.0)::decimal(12, 2) as price
              from range(1000) t(i)) to 'FILE' (format parquet, compression zstd, row_group_size 2048)""".replace("FILE", str(HERE / "duckdb.parquet")))


main()
