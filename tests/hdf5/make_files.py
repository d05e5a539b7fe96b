#!/usr/bin/env python3
"""Makes the files in tests/hdf5/data by h5py and netCDF4 (pip install h5py hdf5plugin netCDF4): old.h5 and latest.h5, of the oldest and the latest
format that libhdf5 1.10 reads, with an array for each filter, type and layout; damaged.h5, with chunks that are no such thing; unreadable.h5, with
members that libhdf5 cannot open, filters that nobody has, and raw chunks of other lengths;
scales.nc; external.raw, which both have an array in; links.h5, whose arrays lie in the others.

Element i of an array, row-major, is (37 * i) % 101 in its type; of one whose name ends with "holes", the fill, 7, in the chunk at the origin.
"""

import os
import sys
from pathlib import Path

import h5py
import hdf5plugin
import netCDF4
import numpy as np

SHAPE, CHUNKS = (5, 7, 3), (3, 4, 2)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data")
folder.mkdir(exist_ok=True)
os.chdir(folder)


def elements(dtype, shape=SHAPE):
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 37 % 101
    kind = np.dtype(dtype).kind
    if kind in "mM":
        return numbers.astype("i8").view(np.dtype(dtype).newbyteorder("=")).astype(dtype)
    if kind == "S":
        return np.vectorize(str)(numbers).astype(dtype)
    return (numbers + 1j * (numbers + 1) if kind == "c" else numbers % 2 if kind == "b" else numbers).astype(dtype)


def low(file, name, h5_type, layout=None, filters=None, data=None):
    """An array of a type or with filters that h5py has no word for."""
    file.require_group(name.split("/")[0])
    space = h5py.h5s.create_simple(SHAPE)
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    if layout is None:
        properties.set_chunk(CHUNKS)
    else:
        properties.set_layout(layout)
    if filters:
        filters(properties)
    dataset = h5py.h5d.create(file.id, name.encode(), h5_type, space, properties)
    data = elements("i8") if data is None else data
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(data))


def write(name, libver):
    is_old = libver[0] == "earliest"  # its chunks take more room, so it has fewer arrays
    with h5py.File(name, "w", libver=libver, userblock_size=512 if is_old else 0) as file:
        file.attrs["title"] = "arrays"
        file.attrs["numbers"] = [1, 2.5]
        file.attrs["count"] = np.int64(2**53 + 1)
        file.attrs["nothing"] = np.nan
        file.attrs["words"] = ["a", 'b"c']
        file.attrs["fixed"] = np.bytes_("seven")
        file.attrs["flag"] = True
        file.attrs["empty"] = h5py.Empty("f4")

        def add(name, dtype="f4", data=None, **options):
            options.setdefault("chunks", CHUNKS)
            file.create_dataset(name, data=elements(dtype) if data is None else data, **options)

        words = "int16 int8" if is_old else "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
        for dtype in words.split():
            add(f"type/{dtype}", dtype, compression="gzip", shuffle=True)
            add(f"plain/{dtype}", dtype, chunks=None)
            if is_old:
                continue
            if np.dtype(dtype).itemsize > 1:
                add(f"big/{dtype}", np.dtype(dtype).newbyteorder(">"), compression="gzip")
                add(f"plain_big/{dtype}", np.dtype(dtype).newbyteorder(">"), chunks=None)
        add("type/s5", "S5")
        add("plain/s5", "S5", chunks=None)
        add("type/text", data=elements("S5").astype(object), dtype=h5py.string_dtype())
        add("plain/text", data=elements("S5").astype(object), dtype=h5py.string_dtype(), chunks=None)
        add("type/enumeration", data=elements("i2"), dtype=h5py.enum_dtype({"a": 0, "b": 1}, "i2"))
        add("type/enumeration_big", data=elements("i2"), dtype=h5py.enum_dtype({"a": 0, "b": 1}, ">i2"))
        add("plain/enumeration_big", data=elements("i2"), dtype=h5py.enum_dtype({"a": 0, "b": 1}, ">i2"), chunks=None)
        add("type/seconds", data=elements("M8[s]").astype(h5py.opaque_dtype("M8[s]")))
        spaces = h5py.h5t.C_S1.copy()
        spaces.set_size(5)
        spaces.set_strpad(h5py.h5t.STR_SPACEPAD)
        low(file, "type/spaces", spaces, data=np.vectorize(lambda s: s.ljust(5, b" "))(elements("S5")).astype("S5"))

        for shuffle in (True,) if is_old else (False, True):
            for checked in (False, True):
                for compression in (None, "gzip", "lzf")[is_old:]:
                    add(f"filter/{compression}{'_shuffle' * shuffle}{'_fletcher32' * checked}", "f8", compression=compression, shuffle=shuffle,
                        fletcher32=checked)
        if not is_old:
            add("filter/zstd", "f8", **hdf5plugin.Zstd())
            add("filter/zstd_shuffle", "f8", shuffle=True, **hdf5plugin.Zstd())
            for cname in ("blosclz", "lz4", "zstd"):
                for shuffle in (0, 1, 2):
                    add(f"filter/blosc_{cname}_{shuffle}", "f8", **hdf5plugin.Blosc(cname=cname, shuffle=shuffle))
            add("filter/scaleoffset", "i4", scaleoffset=0)
            add("filter/shuffle_odd", data=elements("S5"), shuffle=True, compression="gzip")
            low(file, "filter/two", h5py.h5t.IEEE_F64LE, filters=lambda p: (p.set_deflate(1), p.set_deflate(9)))
            low(file, "filter/fletcher32_gzip", h5py.h5t.IEEE_F64LE, filters=lambda p: (p.set_fletcher32(), p.set_deflate(9)))
            low(file, "filter/optional", h5py.h5t.IEEE_F64LE, filters=lambda p: (p.set_filter(399, 1, (9,)), p.set_deflate(9)))
            low(file, "refused/bzip2", h5py.h5t.IEEE_F64LE, filters=lambda p: p.set_filter(307, 1, (9,)))
            bits = h5py.h5t.STD_I32LE.copy()
            bits.set_precision(20)
            low(file, "filter/nbit", bits, filters=lambda p: p.set_filter(h5py.h5z.FILTER_NBIT))
        low(file, "layout/compact", h5py.h5t.STD_I32BE, layout=h5py.h5d.COMPACT)

        # Chunks that did not go through a filter.
        add("filter/masked", "f4", shuffle=True, compression="gzip")
        raw = np.full(CHUNKS, 0, "f4")
        raw[:, :, :] = elements("f4")[:3, :4, :2]
        file["filter/masked"].id.write_direct_chunk((0, 0, 0), raw.tobytes(), filter_mask=3)

        for option in ({}, {"compression": "gzip"}, {"maxshape": (None, 7, 3)}, {"maxshape": (None, None, 3)}):
            array = file.create_dataset(f"layout/{len(file.get('layout', []))}_holes", SHAPE, "f4", chunks=CHUNKS, fillvalue=7, **option)
            data = elements("f4")
            array[3:], array[:3, 4:], array[:3, :4, 2:] = data[3:], data[:3, 4:], data[:3, :4, 2:]
        array = file.create_dataset("layout/one", SHAPE, "f4", chunks=SHAPE)
        array[...] = elements("f4")
        file.create_dataset("layout/never", SHAPE, "f4", chunks=CHUNKS, fillvalue=7)
        file.create_dataset("layout/never_plain", SHAPE, "f4", fillvalue=7)
        file.create_dataset("layout/never_text", SHAPE, h5py.string_dtype(), chunks=CHUNKS, fillvalue="none")
        file.create_dataset("layout/scalar", data=np.float64(7))
        file.create_dataset("layout/empty", (0, 3), "f4", chunks=(1, 2), maxshape=(None, 3))
        file.create_dataset("layout/external", SHAPE, "i8", external=[("external.raw", 0, 840)])[...] = elements("i8")
        virtual = h5py.VirtualLayout(SHAPE, "f8")
        virtual[...] = h5py.VirtualSource(".", "/filter/gzip", SHAPE)
        if not is_old:
            file.create_virtual_dataset("layout/virtual", virtual)
        file["layout/soft"] = h5py.SoftLink("/type/int8")
        file["layout/dangling"] = h5py.SoftLink("/nowhere")
        file["layout/loop"] = h5py.SoftLink("/layout")

        file.create_dataset("refused/compound", data=np.zeros(3, [("x", "f4"), ("name", "S3")]))
        file.create_dataset("refused/references", (2,), h5py.ref_dtype)
        file.create_dataset("refused/lists", (2,), h5py.vlen_dtype("i4"))
        file.create_dataset("refused/arrays", (2,), np.dtype("(3,)f4"))
        file.create_dataset("refused/long_double", (2,), "longdouble")
        file.create_dataset("refused/null", data=h5py.Empty("f4"))
        file["refused/dtype"] = np.dtype("f8")

        for k, label in enumerate("xyz"):
            file["type/int8"].dims[k].label = label
        file["type/int8"].attrs["units"] = "m"


def write_damaged(name):
    """Arrays whose only chunk is not what its filters make; those in "refused" cannot be read, what others have nobody knows."""
    numbers = elements("f8", (50,))
    filters = {"gzip": {"compression": "gzip"}, "gzip_shuffle": {"compression": "gzip", "shuffle": True}, "lzf": {"compression": "lzf"},
               "zstd": dict(hdf5plugin.Zstd()), "blosc": dict(hdf5plugin.Blosc()), "fletcher32": {"fletcher32": True}}
    random = np.random.default_rng(7)
    with h5py.File(name, "w", libver=("v110", "v110")) as file:

        def add(name, chunk, mask=0, **options):
            file.create_dataset(name, (50,), "f8", chunks=(50,), **options).id.write_direct_chunk((0,), bytes(chunk), filter_mask=mask)

        for filter, options in filters.items():
            file.create_dataset("whole", data=numbers, chunks=(50,), **options)
            file.flush()
            whole = file["whole"].id.read_direct_chunk((0,))[1]
            del file["whole"]
            longer = file.create_dataset("longer", data=np.zeros(80), chunks=(80,), **options)
            file.flush()
            add(f"refused/{filter}_longer", longer.id.read_direct_chunk((0,))[1], **options)
            del file["longer"]
            add(f"refused/{filter}_cut", whole[:-5], **options)
            add(f"refused/{filter}_half", whole[: len(whole) // 2], **options)
            add(f"refused/{filter}_byte", whole[:1], **options)
            add(f"refused/{filter}_ones", b"\xff" * 390, **options)
            add(f"refused/{filter}_unfiltered", whole[:390], mask=3, **options)
            for k in range(4):
                flipped = bytearray(whole)
                flipped[random.integers(len(whole)) if k else 0] ^= 1 << k
                certain = filter not in ("lzf", "zstd", "blosc")
                add(f"{'refused' if certain else 'unknown'}/{filter}_flipped_{k}", flipped, **options)
        add("refused/lzf_back", b"\x00a\xff\xff\xff", compression="lzf")


def write_unreadable(name):
    with h5py.File(name, "w", libver=("earliest", "v108")) as file:
        file["good"] = np.arange(3.0)
        file.create_group("below")["x"] = np.arange(3.0)
        file["compound"] = np.zeros(3, [("x", "f4"), ("name", "S3")])
        file["damaged"] = np.arange(3.0)
        file.create_group("damaged_group")
        file["to_damaged"] = h5py.SoftLink("/damaged")
        file["outside"] = h5py.ExternalLink("none.h5", "/x")
        file["dangling"] = h5py.SoftLink("/nowhere/x")
        for filter in (32008, 60000):
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_chunk((3,))
            properties.set_filter(filter, 1, (1, 2))
            space = h5py.h5s.create_simple((3,))
            h5py.h5d.create(file.id, b"filter_%d" % filter, h5py.h5t.IEEE_F64LE, space, properties).write_direct_chunk((0,), bytes(24))
        for kind, dtype in {"number": "f8", "swapped": ">f8", "text": "S8"}.items():
            for label, change in {"short": -1, "long": 1, "longer": 9000}.items():
                array = file.create_dataset(f"raw/{kind}_{label}", (4,), dtype, chunks=(2,))
                array.id.write_direct_chunk((2,), bytes(2 * array.dtype.itemsize))
                array.id.write_direct_chunk((0,), bytes(2 * array.dtype.itemsize + change))
        places = [h5py.h5o.get_info(file[name].id).addr for name in ("damaged", "damaged_group")]
    with open(name, "r+b") as file:
        for place in places:
            file.seek(place)
            file.write(b"XXXX")


write("old.h5", ("earliest", "v108"))
write("latest.h5", ("v110", "v110"))
write_damaged("damaged.h5")
write_unreadable("unreadable.h5")
with h5py.File("links.h5", "w", libver=("v110", "v110")) as file:
    file.create_dataset("here", data=np.full(4500, 7777))  # longer than any offset in the others
    file["there"] = h5py.ExternalLink("latest.h5", "/plain/int64")
    file["behind_a_block"] = h5py.ExternalLink("old.h5", "/plain/int16")
    file["group"] = h5py.ExternalLink("latest.h5", "/plain")
    file["soft"] = h5py.SoftLink("/group/float32")
    file["chunks"] = h5py.ExternalLink("latest.h5", "/type/int32")
    file["external"] = h5py.ExternalLink("latest.h5", "/layout/external")
    file["virtual"] = h5py.ExternalLink("latest.h5", "/layout/virtual")
    pieces = h5py.VirtualLayout(SHAPE, "i8")
    pieces[...] = h5py.VirtualSource("latest.h5", "/plain/int64", SHAPE)
    file.create_virtual_dataset("pieces", pieces)
with netCDF4.Dataset("scales.nc", "w") as file:
    file.createDimension("time", None)
    file.createDimension("y", 7)
    file.createDimension("x", 3)
    file.title = "scales"
    group = file.createGroup("surface").createGroup("daily")
    for name in ("time", "y"):
        file.createVariable(name, "f8", (name,))[:] = np.arange(5 if name == "time" else 7)
    t2m = group.createVariable("t2m", "i2", ("time", "y", "x"), zlib=True, fill_value=-1)
    t2m.set_auto_maskandscale(False)
    t2m.scale_factor, t2m.add_offset, t2m.units = np.float32(0.5), 10.0, "K"
    t2m[:] = elements("i2")
    file.createVariable("names", str, ("y",))[:] = np.array([f"n{i}" for i in range(7)], object)
    group.createDimension("station", 2)
    group.createVariable("station", "i4", ("x",))[:] = [1, 2, 3]
for name in sorted(os.listdir()):
    print(name, os.path.getsize(name))
