"""The cases of loops of many steps: ../support/loop_data.hpp has their sizes, too."""

from driver.case import Case

HEADING = "Loops"


def steps(name, count, side, rank, dtype, operations, states=1, quick=False):
    """So many steps of a torus: memory has to be read and written once for all of them."""
    width, n = (8, side**rank) if dtype == "float64" else (4, side**rank)
    return Case(name, f"{count}_of_{'x'.join([str(side)] * rank)}", dtype, read=states * width * n, written=states * width * n,
                flops=count * operations * n * width // 8, tolerance=1e-10 if dtype == "float64" else 1e-5, threads=True,
                seconds=0.1 if quick else 1, heading=HEADING, quick=quick)


def loops():
    """By `iterate` and `scan_over`, beside a pass over memory for each step, written by hand, and beside autograd."""
    yield steps("iterate_heat", 32, 2048, 2, "float64", 7, quick=True)
    yield steps("iterate_heat", 100, 4096, 2, "float64", 7)
    yield steps("iterate_heat", 50, 8192, 2, "float32", 7)
    yield steps("iterate_wave", 16, 256, 3, "float32", 11, states=2, quick=True)
    yield steps("iterate_wave", 20, 512, 3, "float32", 11, states=2)
    yield steps("iterate_9_points", 20, 4096, 2, "float32", 17)
    yield steps("iterate_25_points", 16, 2048, 2, "float32", 49, quick=True)
    yield steps("iterate_25_points", 20, 4096, 2, "float32", 49)
    small = dict(dtype="float64", read=8 * 1000, tolerance=1e-9, heading=HEADING)
    ring = dict(size="200_of_1000", written=8 * 1000, flops=200 * 5 * 1000, **small)
    yield Case("iterate_ring", **ring)
    yield Case("iterate_ring_computation", peers_from="iterate_ring", **ring)
    # Beside the same in a computation that has all steps, which is a case of its own.
    yield Case("forward_heat_iterate", "200_of_1000", flops=200 * 5 * 1000, peers_from="forward_heat", **small)
    yield Case("gradient_heat_iterate", "200_of_1000", flops=200 * 5 * 1000, peers_from="gradient_heat", **small)
    yield Case("forward_iterate", "1000_of_1000", flops=1000 * 5 * 1000, **small)
    yield Case("gradient_iterate", "1000_of_1000", written=8 * 1000, flops=1000 * 5 * 1000, **small)
    weights = 256 * (64 + 64)
    network = dict(size="1000_of_64", dtype="float32", read=4 * (64_000 + weights), tolerance=1e-4, seconds=0.02, heading=HEADING)
    yield Case("forward_lstm", flops=1000 * weights, **network)
    yield Case("gradient_lstm", written=4 * weights, flops=1000 * 3 * weights, **network)
