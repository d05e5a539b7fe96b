"""Makes the files of this folder, by netCDF4 (two days of temperatures, packed) and by kerchunk (where their chunks lie)."""
import json
import os
from pathlib import Path

import netCDF4
import numpy as np
from kerchunk.combine import MultiZarrToZarr
from kerchunk.hdf import SingleHdf5ToZarr

os.chdir(Path(__file__).parent)  # paths in what kerchunk writes are relative
for day, scale in enumerate((0.5, 0.25)):
    with netCDF4.Dataset(f"day{day}.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        time = file.createVariable("time", "i4", ("time",))
        time.units = f"hours since 2026-01-0{day + 1}"
        time[:] = [0, 12]
        t2m = file.createVariable("t2m", "i2", ("time", "x"), zlib=True, shuffle=True, chunksizes=(1, 3), fill_value=-1)
        t2m.scale_factor, t2m.add_offset, t2m.units = scale, 270.0, "K"
        t2m[:] = np.ma.masked_equal(270 + day * 10 + np.arange(6.0).reshape(2, 3), 273)
    with open(f"day{day}.json", "w") as out:
        json.dump(SingleHdf5ToZarr(f"day{day}.nc").translate(), out)
with open("both.json", "w") as out:
    combined = MultiZarrToZarr(["day0.json", "day1.json"], concat_dims=["time"], identical_dims=["x"], coo_map={"time": "cf:time"})
    json.dump(combined.translate(), out)
