"""The same cases as bench_mpi.cpp by Dask with two workers of one thread, arrays persisted."""

import time

import dask.array as da
from dask.distributed import Client, LocalCluster, wait

N = 4096


def timed(name, calls, f):
    f()
    best = 1e9
    for _ in range(calls):
        time.sleep(0.5)  # results of before are dropped meanwhile: else they would be used again
        begin = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - begin)
    print(name, f"{best * 1e3:.4f}", flush=True)


def field(n, factor):
    i, j = da.arange(n, chunks=n // 2)[:, None], da.arange(n, chunks=n)
    return (((i * 37 + j * 11 * factor) % 1000) / 7).rechunk((n // 2, n)).persist()


def stencil(u):
    for _ in range(10):
        u = u + 0.1 * (da.roll(u, 1, 0) + da.roll(u, -1, 0) + da.roll(u, 1, 1) + da.roll(u, -1, 1) - 4 * u)
        u = u.rechunk((N // 2, N)).persist()
    wait(u)


if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        x, y, a = field(N, 1), field(N, 2), field(2048, 1)
        wait([x, y, a])
        timed("squares", 5, lambda: ((x - y) ** 2).sum().compute())
        timed("sum", 5, lambda: x.sum().compute())
        timed("chain", 5, lambda: wait((da.sqrt((x - 0.5) ** 2 + 1) * 2 + y).persist()))
        timed("transpose", 5, lambda: wait(x.T.rechunk((N // 2, N)).persist()))
        timed("stencil", 2, lambda: stencil(x))
        timed("matmul", 3, lambda: wait((a @ a).persist()))
