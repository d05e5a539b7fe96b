#!/usr/bin/env python3
"""Writes the seeds of csv_fuzz: small tables, good and bad, of every type.

    make_csv_fuzz.py [FOLDER]
"""

import sys
from pathlib import Path

folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "csv_fuzz"

seeds = {
    "types": "i,u,x,b,d,t,n,s\n-1,18446744073709551615,1.5,true,2020-02-29,2020-01-01T10:00,2020-01-01T10:00:00.5,text\n",
    "gaps": "a,b,c\n1,,x\n,NA,\n3,2.5,\"\"\n",
    "quotes": 'a,"b ""c"""\n"x\ny","1,2"\n5" pipe,""""\n',
    "semicolons": "a;b\r\n1;2\r\n\r\n3;4",
    "one_column": "a\n1\n\n2\n",
    "byte_order_mark": "\ufeffa,b\n1,2\n",
    "ragged": "a,b\n1\n2,3,4\n",
    "not_closed": 'a,b\n1,"2\n',
    "behind_quotes": 'a,b\n"1"2,3\n',
    "widening": "a\n" + "1\n" * 101 + "2.5\n2020-01-01\n",
    "twice": "a,a\n1,2\n",
    "empty": "",
}

folder.mkdir(parents=True, exist_ok=True)
for name, text in seeds.items():
    (folder / name).write_bytes(text.encode())
