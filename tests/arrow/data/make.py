"""Makes the files of this folder, with pyarrow and Polars: rows r from 0 on, whose values the tests compute as well."""
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import polars as pl
import pyarrow as pa

FOLDER = Path(__file__).parent
ROWS = 7
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def gappy(values):
    """What is missing: of every third row, the second."""
    return [None if r % 3 == 1 else value for r, value in enumerate(values)]


def columns():
    rows = range(ROWS)
    made = {name: pa.array([10 * r + k for r in rows], getattr(pa, name)()) for k, name in enumerate(INTEGERS)}
    made |= {name: pa.array([r + 0.5 for r in rows], getattr(pa, name)()) for name in ("float16", "float32", "float64")}
    made["bool"] = pa.array([r % 2 == 0 for r in rows])
    words = ["" if r == 2 else f"word {r}" * (r + 1) for r in rows]
    for name in ("utf8", "large_utf8", "string_view"):
        made[name] = pa.array(words, getattr(pa, name)())
    made["binary"] = pa.array([bytes([r, 255 - r]) for r in rows], pa.binary())
    days = [date(2026, 1, 1) + timedelta(days=r) for r in rows]
    made["date32"], made["date64"] = pa.array(days, pa.date32()), pa.array(days, pa.date64())
    made["time32"] = pa.array([time(1, 2, r) for r in rows], pa.time32("s"))
    made["time64"] = pa.array([time(1, 2, 3, r) for r in rows], pa.time64("us"))
    made["local"] = pa.array([datetime(2026, 1, 1, r) for r in rows], pa.timestamp("us"))
    made["zoned"] = pa.array([datetime(2026, 1, 1, r, tzinfo=timezone.utc) for r in rows], pa.timestamp("ns", "Europe/Vienna"))
    made["duration"] = pa.array([timedelta(milliseconds=r) for r in rows], pa.duration("ms"))
    made["decimal128"] = pa.array([Decimal(r - 3) / 8 for r in rows], pa.decimal128(12, 3))
    made["decimal256"] = pa.array([Decimal(r - 3) * 10**30 for r in rows], pa.decimal256(50, 2))
    made["dictionary"] = pa.array([f"key {r % 3}" for r in rows]).dictionary_encode()
    made["list"] = pa.array([[r, r + 0.25] for r in rows], pa.list_(pa.float32(), 2))
    made["bytes3"] = pa.array([bytes([r, r, 7]) for r in rows], pa.binary(3))
    made["struct"] = pa.array([{"x": r, "y": f"y{r}"} for r in rows], pa.struct({"x": pa.int32(), "y": pa.utf8()}))
    made["null"] = pa.nulls(ROWS)
    for name in ("int32", "float64", "bool", "utf8", "string_view", "zoned", "dictionary"):
        made["gappy " + name] = pa.array(gappy(made[name].to_pylist()), made[name].type)
    return pa.table(made)


def write(path, table, compression=None, stream=False, rows=5):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(FOLDER / path, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)


def write_gaps():
    """What is missing in what: lists, structs, dictionaries; 0 rows in one of the batches."""
    rows = range(6)
    made = {
        "float": pa.array([None if r % 2 else r + 0.5 for r in rows]),
        "time": pa.array([None if r % 2 else datetime(2026, 1, 1, r) for r in rows], pa.timestamp("us", "UTC")),
        "word": pa.array([None if r % 2 else f"w{r}" for r in rows]),
        "key": pa.array([None if r % 2 else f"k{r % 4}" for r in rows]).dictionary_encode(),
        "floats": pa.array([[r, None] if r % 2 else [r, r] for r in rows], pa.list_(pa.float64(), 2)),
        "lists": pa.array([None if r == 4 else [r, r + 1] for r in rows], pa.list_(pa.int16(), 2)),
        "keys": pa.FixedSizeListArray.from_arrays(pa.array([f"k{r % 3}" for r in range(12)]).dictionary_encode(), 2),
        "struct": pa.array([None if r == 3 else {"a": r, "in": {"b": None if r == 1 else r, "c": "text"}} for r in rows]),
    }
    for name, compression in (("gaps.arrow", None), ("gaps_zstd.arrow", "zstd")):
        table = pa.table(made)
        with pa.ipc.new_file(FOLDER / name, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
            for begin, end in ((0, 4), (4, 4), (4, 6)):
                writer.write_batch(table.to_batches()[0].slice(begin, end - begin))


def write_union():
    """Of version 4, in which unions have a bitmap, before a column of numbers."""
    union = pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])])
    table = pa.table({"union": union, "number": pa.array([7, 8, 9])})
    options = pa.ipc.IpcWriteOptions(metadata_version=pa.ipc.MetadataVersion.V4)
    with pa.ipc.new_file(FOLDER / "union.arrow", table.schema, options=options) as writer:
        writer.write_table(table)


def write_deltas():
    """A stream whose dictionary grows with the second batch, and is another one for the third."""
    field = pa.dictionary(pa.int8(), pa.utf8())
    batches = [(["a", "b"], [0, 1, 0]), (["a", "b", "c"], [2, 1, 0]), (["z", "a"], [0, 1, 1])]
    schema = pa.schema({"key": field})
    with pa.ipc.new_stream(FOLDER / "deltas.arrows", schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as writer:
        for words, indexes in batches:
            key = pa.DictionaryArray.from_arrays(pa.array(indexes, pa.int8()), pa.array(words))
            writer.write_batch(pa.record_batch([key], schema=schema))


table = columns()
write("types.arrow", table)
write("types_lz4.arrow", table, "lz4")
write("types_zstd.arrow", table, "zstd")
write("types.arrows", table, stream=True)
write("empty.arrow", table.slice(0, 0))
write("lists.arrow", pa.table({"number": [1, 2], "list": [[1], [1, 2]], "map": pa.array([[("k", 1)], []], pa.map_(pa.utf8(), pa.int32()))}))
write_deltas()
write_gaps()
write_union()
frame = pl.DataFrame({"number": [1, None, 3], "word": ["one", None, "a word that is longer than a view has room for"]})
frame.write_ipc(FOLDER / "polars.arrow", compression="zstd")
