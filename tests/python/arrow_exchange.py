#!/usr/bin/env python3
"""pyarrow exchanges every type with Purview through Arrow's C data interface, in both directions.

    tests/python/arrow_exchange.py MODULE

MODULE is the shared library of exchange.cpp. Exits with 77, ctest's sign for a skipped test, when
pyarrow cannot be imported.
"""

import ctypes
import datetime
import decimal
import gc
import sys

SKIPPED = 77
ARRAY_BYTES, SCHEMA_BYTES, STREAM_BYTES = 80, 72, 40


class Exchange:
    """The function of the module, from and to pyarrow's objects."""

    def __init__(self, path):
        self.module = ctypes.CDLL(path)
        self.module.last_error.restype = ctypes.c_char_p
        self.module.arrow_exchanged.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        self.module.arrow_streamed.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]

    def __call__(self, exported, reverse=False):
        """What an array or a batch is read as and exported again, checked by pyarrow."""
        given = ctypes.create_string_buffer(ARRAY_BYTES), ctypes.create_string_buffer(SCHEMA_BYTES)
        taken = ctypes.create_string_buffer(ARRAY_BYTES), ctypes.create_string_buffer(SCHEMA_BYTES)
        exported._export_to_c(*map(ctypes.addressof, given))
        is_batch = isinstance(exported, pa.RecordBatch)
        if not self.module.arrow_exchanged(*map(ctypes.addressof, given), is_batch, reverse,
                                           *map(ctypes.addressof, taken)):
            raise ValueError(self.module.last_error().decode())
        kind = pa.RecordBatch if is_batch else pa.Array
        result = kind._import_from_c(*map(ctypes.addressof, taken))
        result.validate(full=True)
        return result

    def stream(self, reader, as_one=False):
        """The batches of a reader, read and exported again: as they come, or as one."""
        given, taken = ctypes.create_string_buffer(STREAM_BYTES), ctypes.create_string_buffer(STREAM_BYTES)
        reader._export_to_c(ctypes.addressof(given))
        if not self.module.arrow_streamed(ctypes.addressof(given), as_one, ctypes.addressof(taken)):
            raise ValueError(self.module.last_error().decode())
        return pa.RecordBatchReader._import_from_c(ctypes.addressof(taken))


def with_gaps(values, type):
    """An array of values, every third of which is missing."""
    return pa.array([None if i % 3 == 1 else value for i, value in enumerate(values)], type)


def samples():
    """Arrays of every type, 12 elements each, with what they come back as."""
    numbers = list(range(12))
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"):
        type = getattr(pa, name)()
        for array in (pa.array(numbers, type), with_gaps(numbers, type)):
            yield array, array
    half = pa.array([None if i % 3 == 1 else i for i in numbers], pa.float32()).cast(pa.float16())
    yield half, half
    bools = with_gaps([i % 2 == 0 for i in numbers], pa.bool_())
    yield bools, bools
    yield pa.nulls(12), pa.nulls(12, pa.float64())
    texts = ["", "a", "ä€𝄞", "x" * 40] * 3
    for type in (pa.string(), pa.large_string()):
        yield with_gaps(texts, type), with_gaps(texts, pa.string())
    binaries = [b"", b"a", b"\xff\x00", b"x" * 40] * 3
    for type in (pa.binary(), pa.large_binary()):
        yield with_gaps(binaries, type), with_gaps(binaries, pa.binary())
    yield with_gaps([b"abc"] * 12, pa.binary(3)), with_gaps([[97, 98, 99]] * 12, pa.list_(pa.uint8(), 3))
    days = with_gaps([datetime.date(1960, 2, 29) + datetime.timedelta(1000 * i) for i in numbers], pa.date32())
    yield days, days
    yield days.cast(pa.date64()), days.cast(pa.timestamp("ms")).cast(pa.int64()).cast(pa.timestamp("ms", "UTC"))
    for unit in ("s", "ms", "us", "ns"):
        counts = with_gaps([1_600_000_000 * i for i in numbers], pa.int64())
        for type in (pa.timestamp(unit), pa.timestamp(unit, "Europe/Vienna"), pa.timestamp(unit, "+01:00"),
                     pa.duration(unit)):
            yield counts.cast(type), counts.cast(type)
    for type, narrow in ((pa.time32("s"), pa.int32()), (pa.time32("ms"), pa.int32()), (pa.time64("us"), pa.int64()),
                         (pa.time64("ns"), pa.int64())):
        counts = with_gaps([7000 * i for i in numbers], narrow)
        yield counts.cast(type), counts.cast(pa.int64()).cast(pa.duration(type.unit))
    for index in (pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64()):
        words = with_gaps(["one", "two", "three", "one"] * 3, pa.string())
        yield words.dictionary_encode().cast(pa.dictionary(index, pa.string())), words
    ids = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2] * 3, pa.int8()), pa.array([5, None, 7]))
    yield ids, pa.array([5, None, None, 7] * 3)
    pairs = with_gaps([[i, i + 0.5] for i in numbers], pa.list_(pa.float64(), 2))
    yield pairs, pairs
    flags = with_gaps([[True, False, i > 5] for i in numbers], pa.list_(pa.bool_(), 3))
    yield flags, flags
    matrices = with_gaps([[[i, 1], [2, 3], [4, i]] for i in numbers], pa.list_(pa.list_(pa.int16(), 2), 3))
    yield matrices, matrices


def check(back, expected, words):
    if back.type == pa.string() and expected.type == pa.binary():  # without anything that is not UTF-8
        back = back.cast(pa.binary())
    assert back.type == expected.type, (words, back.type, expected.type)
    # Zones need not be known to Python, so that values are compared by pyarrow; lists that are missing hold anything.
    assert back.equals(expected) or back.to_pylist() == expected.to_pylist(), (words, back, expected)


def check_types(exchange):
    count = 0
    for array, expected in samples():
        for begin, length in ((0, 12), (3, 9), (1, 5), (8, 0), (0, 0)):
            part, wanted = array.slice(begin, length), expected.slice(begin, length)
            check(exchange(part), wanted, array.type)
            backwards = pa.array(range(length - 1, -1, -1), pa.int64())
            if wanted.type != pa.float16():
                check(exchange(part, reverse=True), wanted.take(backwards), array.type)
        count += 1
    return count


def check_batches(exchange):
    arrays, expected = zip(*samples())
    names = [str(i) for i in range(len(arrays))]
    batch = pa.RecordBatch.from_arrays(list(arrays), names)
    for part, begin in ((batch, 0), (batch.slice(2, 7), 2)):
        back = exchange(part)
        assert back.schema.names == names
        for column, wanted in zip(back.columns, expected):
            check(column, wanted.slice(begin, part.num_rows), wanted.type)
    inner = pa.StructArray.from_arrays([pa.array(range(4)), pa.array("abcd")], ["i", "t"],
                                       mask=pa.array([False, True, False, False]))
    nested = exchange(pa.RecordBatch.from_arrays([inner, pa.array(range(4))], ["s", "n"]).slice(1, 3))
    assert nested.to_pydict() == {"s.i": [None, 2, 3], "s.t": [None, "c", "d"], "n": [1, 2, 3]}
    assert exchange(pa.RecordBatch.from_arrays([], [])).num_columns == 0


def check_text_views(exchange):
    """Strings as Polars and pandas hand them out: short ones in the view, long ones behind it."""
    texts = ["a", "twelve bytes", "longer than twelve bytes", None, "", "ä€𝄞"] * 3
    for name, values in (("string_view", texts), ("binary_view", [x and x.encode() for x in texts])):
        if hasattr(pa, name):
            views = pa.array(values, getattr(pa, name)())
            for part in (views, views.slice(2, 9)):
                back = exchange(pa.RecordBatch.from_arrays([part], ["t"])).column(0).to_pylist()
                assert [x if x is None or isinstance(x, str) else x.decode() for x in back] == [
                    x if x is None or isinstance(x, str) else x.decode() for x in part.to_pylist()], back


def check_decimals(exchange):
    """They come as the nearest float64."""
    texts = ["0.10", "-1234567.89", None, "0.00"]
    decimals = pa.array([x and decimal.Decimal(x) for x in texts], pa.decimal128(9, 2))
    back = exchange(pa.RecordBatch.from_arrays([decimals], ["d"])).column(0)
    assert back.type == pa.float64() and back.to_pylist() == [x and float(x) for x in texts], back


def check_refusals(exchange):
    refused = [pa.array([[1], [2, 3]]), pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())),
               pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]), pa.array([[1]], pa.large_list(pa.int8()))]
    if hasattr(pa, "list_view"):
        refused.append(pa.array([[1]], pa.list_view(pa.int8())))
    for array in refused:
        try:
            exchange(pa.RecordBatch.from_arrays([array], ["odd"]))
        except ValueError as error:
            assert "'odd'" in str(error), error
        else:
            raise AssertionError(array.type)


def check_streams(exchange):
    table = pa.table({"n": with_gaps(list(range(12)), pa.int64()), "t": with_gaps(["", "a", "ä€𝄞", "x" * 40] * 3, pa.string()),
                      "when": with_gaps(list(range(12)), pa.int64()).cast(pa.timestamp("ms", "Europe/Vienna")),
                      "pair": with_gaps([[i, i + 0.5] for i in range(12)], pa.list_(pa.float64(), 2))})
    batches = [*table.slice(0, 5).to_batches(), *table.slice(5, 0).to_batches(), *table.slice(5).to_batches()]
    for as_one in (False, True):
        reader = exchange.stream(pa.RecordBatchReader.from_batches(table.schema, batches), as_one)
        assert reader.schema == table.schema, reader.schema
        got = list(reader)
        assert [batch.num_rows for batch in got] == ([12] if as_one else [batch.num_rows for batch in batches])
        for batch in got:
            batch.validate(full=True)
        assert pa.Table.from_batches(got).to_pylist() == table.to_pylist()
    empty = exchange.stream(pa.RecordBatchReader.from_batches(table.schema, []))
    assert empty.schema == table.schema and list(empty) == []

    def broken():
        yield batches[0]
        raise KeyError("the end of the tape")

    reader = exchange.stream(pa.RecordBatchReader.from_batches(table.schema, broken()))
    assert reader.read_next_batch().num_rows == 5
    for act in (reader.read_next_batch, lambda: exchange.stream(
            pa.RecordBatchReader.from_batches(table.schema, broken()), as_one=True)):
        try:
            act()
        except (pa.ArrowException, OSError, ValueError) as error:
            assert "batch 1" in str(error) and "the end of the tape" in str(error), error
        else:
            raise AssertionError("an error is not passed on")
    exchange.stream(pa.RecordBatchReader.from_batches(table.schema, batches)).read_next_batch()  # and is dropped


def main():
    exchange = Exchange(sys.argv[1])
    before = pa.total_allocated_bytes()
    types = check_types(exchange)
    check_batches(exchange)
    check_text_views(exchange)
    check_decimals(exchange)
    check_refusals(exchange)
    check_streams(exchange)
    gc.collect()
    assert pa.total_allocated_bytes() == before, "every array is released"
    kept = exchange(pa.array([1.5, 2.5]))
    gc.collect()
    assert kept.to_pylist() == [1.5, 2.5]
    print(f"pyarrow {pa.__version__}: {types} kinds of arrays")
    return 0


if __name__ == "__main__":
    try:
        import pyarrow as pa
    except ImportError as missing:
        print(f"skipped: {missing}")
        sys.exit(SKIPPED)
    sys.exit(main())
