// ScaLAPACK's product of 2048 x 2048 float64 on two ranks, as "matmul milliseconds": 2 x 1 and 1 x 2 grids, blocks of 64 to 1024; the best of all.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
int numroc_(const int*, const int*, const int*, const int*, const int*);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*,
               const int*, const int*, int*);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double best = 1e9;
    for (const bool by_rows : {true, false})
        for (const int block : {64, 128, 256, 1024}) {
            int context = 0, places = 0, columns = 0, row = 0, column = 0, info = 0;
            Cblacs_get(-1, 0, &context);
            Cblacs_gridinit(&context, "Row", by_rows ? ranks : 1, by_rows ? 1 : ranks);
            Cblacs_gridinfo(context, &places, &columns, &row, &column);
            const int n = 2048, zero = 0, one = 1;
            const double scale = 1, none = 0;
            const int m = numroc_(&n, &block, &row, &zero, &places);
            const int k = numroc_(&n, &block, &column, &zero, &columns);
            std::vector<double> a(static_cast<std::size_t>(m) * static_cast<std::size_t>(k), 1.5),
                b = a, c = a;
            int of[9];
            descinit_(of, &n, &n, &block, &block, &zero, &zero, &context, &m, &info);
            for (int call = 0; call < 5; ++call) {
                MPI_Barrier(MPI_COMM_WORLD);
                const auto begin = std::chrono::steady_clock::now();
                pdgemm_("N", "N", &n, &n, &n, &scale, a.data(), &one, &one, of, b.data(), &one,
                        &one, of, &none, c.data(), &one, &one, of);
                MPI_Barrier(MPI_COMM_WORLD);
                best = std::min(best, std::chrono::duration<double, std::milli>(
                                          std::chrono::steady_clock::now() - begin)
                                          .count());
            }
        }
    if (rank == 0) std::printf("matmul %.4f\n", best);
    MPI_Finalize();
}
