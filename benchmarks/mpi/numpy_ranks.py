"""The same cases as bench_mpi.cpp by NumPy over mpi4py: blocks of rows, and what a careful program sends."""

import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
N = 4096


def rows(n):
    return n * rank // size, n * (rank + 1) // size


def field(n, factor):
    begin, end = rows(n)
    i, j = np.arange(begin, end)[:, None], np.arange(n)
    return ((i * 37 + j * 11 * factor) % 1000) / 7


def timed(name, calls, f):
    f()
    best = 1e9
    for _ in range(calls):
        comm.Barrier()
        begin = time.perf_counter()
        f()
        comm.Barrier()
        best = min(best, time.perf_counter() - begin)
    if rank == 0:
        print(name, f"{best * 1e3:.4f}", flush=True)


x, y, z = field(N, 1), field(N, 2), field(N, 1)


def transpose():
    parts = np.ascontiguousarray(x.reshape(x.shape[0], size, -1).transpose(1, 0, 2))
    got = np.empty_like(parts)
    comm.Alltoall(parts, got)
    z[:] = got.reshape(N, -1).T


def stencil(u, out):
    for _ in range(10):
        above, below = np.empty(N), np.empty(N)
        comm.Sendrecv(u[-1].copy(), (rank + 1) % size, recvbuf=above, source=(rank - 1) % size)
        comm.Sendrecv(u[0].copy(), (rank - 1) % size, recvbuf=below, source=(rank + 1) % size)
        up, down = np.vstack([above[None], u[:-1]]), np.vstack([u[1:], below[None]])
        out[:] = u + 0.1 * (up + down + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)
        u, out = out, u


def matmul(a):
    n = a.shape[1]
    c = np.zeros_like(a)
    for r in range(size):
        panel = a.copy() if r == rank else np.empty((n * (r + 1) // size - n * r // size, n))
        comm.Bcast(panel, root=r)
        c += a[:, n * r // size : n * (r + 1) // size] @ panel


timed("squares", 9, lambda: comm.allreduce(float(np.sum((x - y) ** 2))))
timed("sum", 9, lambda: comm.allreduce(float(np.sum(x))))
timed("chain", 9, lambda: np.add(np.sqrt((x - 0.5) ** 2 + 1) * 2, y, out=z))
timed("transpose", 9, transpose)
timed("stencil", 3, lambda: stencil(x.copy(), z))
a = field(2048, 1)
timed("matmul", 5, lambda: matmul(a))
