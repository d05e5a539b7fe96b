/// Sparse vectors and matrices by SuiteSparse:GraphBLAS.

#include "../support/cases.hpp"
#include "../support/sparse_data.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

extern "C" { // which it does not say itself
#include <GraphBLAS.h>
}

namespace {

using namespace bench;
using Indexes = std::vector<GrB_Index>;

void check(GrB_Info info) {
    if (info != GrB_SUCCESS) throw std::runtime_error("GraphBLAS: " + std::to_string(info));
}

/// Once, before anything else is made; what it keeps goes with the program.
void start() {
    static const GrB_Info started = GrB_init(GrB_BLOCKING);
    check(started);
}

struct Free {
    void operator()(GrB_Vector vector) const { GrB_Vector_free(&vector); }
    void operator()(GrB_Matrix matrix) const { GrB_Matrix_free(&matrix); }
};
using Vector = std::unique_ptr<std::remove_pointer_t<GrB_Vector>, Free>;
using Matrix = std::unique_ptr<std::remove_pointer_t<GrB_Matrix>, Free>;

Vector new_vector(GrB_Index size) {
    start();
    GrB_Vector made = nullptr;
    check(GrB_Vector_new(&made, GrB_FP64, size));
    return Vector(made);
}
Matrix new_matrix(GrB_Index side) {
    start();
    GrB_Matrix made = nullptr;
    check(GrB_Matrix_new(&made, GrB_FP64, side, side));
    return Matrix(made);
}

std::shared_ptr<const Vector> built(GrB_Index size, const Indexes& indexes,
                                    const std::vector<double>& values) {
    Vector made = new_vector(size);
    check(GrB_Vector_build_FP64(made.get(), indexes.data(), values.data(), values.size(),
                                GrB_PLUS_FP64));
    check(GrB_Vector_wait(made.get(), GrB_MATERIALIZE));
    return std::make_shared<const Vector>(std::move(made));
}
/// One value at every index, each its own: where all are the same, only one is stored.
std::shared_ptr<const Vector> dense(std::int32_t size) {
    Indexes indexes(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < indexes.size(); ++i) indexes[i] = i;
    return built(indexes.size(), indexes, random_vector(indexes.size(), 9));
}
std::shared_ptr<const Vector> sparse_vector(std::uint64_t seed) {
    std::vector<std::int64_t> indexes(1'000'000);
    fill_sparse_indexes(indexes.data(), indexes.size(), 100, seed);
    return built(100'000'000, Indexes(indexes.begin(), indexes.end()),
                 random_vector(indexes.size(), seed + 10));
}

struct Entries {
    explicit Entries(const Coordinates& from)
        : side(static_cast<GrB_Index>(from.side)),
          rows(from.rows.begin(), from.rows.end()),
          columns(from.columns.begin(), from.columns.end()),
          values(from.values) {}

    GrB_Index side;
    Indexes rows;
    Indexes columns;
    std::vector<double> values;
};
Matrix compress(const Entries& entries) {
    Matrix made = new_matrix(entries.side);
    check(GrB_Matrix_build_FP64(made.get(), entries.rows.data(), entries.columns.data(),
                                entries.values.data(), entries.values.size(), GrB_PLUS_FP64));
    check(GrB_Matrix_wait(made.get(), GrB_MATERIALIZE));
    return made;
}
auto matrix(std::int32_t side, std::size_t count, std::uint64_t seed) {
    return std::make_shared<const Matrix>(compress(Entries(Coordinates(side, count, seed))));
}

Summary summary_of_stored(const Vector& vector) {
    GrB_Index count = 0;
    check(GrB_Vector_nvals(&count, vector.get()));
    Indexes indexes(count);
    std::vector<double> values(count);
    check(GrB_Vector_extractTuples_FP64(indexes.data(), values.data(), &count, vector.get()));
    return summary_of(values.data(), values.size());
}
void multiply(const Vector& out, const Matrix& a, const Vector& x) {
    check(GrB_mxv(out.get(), nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, a.get(), x.get(),
                  nullptr));
}
/// As the loops of others have it: rows without entries are zero.
Summary summary_of_dense(const Vector& vector, std::int32_t size) {
    GrB_Index count = 0;
    check(GrB_Vector_nvals(&count, vector.get()));
    Indexes indexes(count);
    std::vector<double> values(count);
    check(GrB_Vector_extractTuples_FP64(indexes.data(), values.data(), &count, vector.get()));
    std::vector<double> out(static_cast<std::size_t>(size), 0.);
    for (std::size_t i = 0; i < indexes.size(); ++i) out[indexes[i]] = values[i];
    return summary_of(out.data(), out.size());
}

/// A task whose result is a matrix.
template <typename Run>
auto made_matrix(std::int32_t side, Run run) {
    const auto x = dense(side);
    return Task{run, [=] {
                    const Vector out = new_vector(static_cast<GrB_Index>(side));
                    multiply(out, run(), *x);
                    return summary_of_dense(out, side);
                }};
}

const Cases vectors([] {
    const auto add_merge = [](const char* name, auto combine) {
        add(case_name(name, "1000000_of_100000000", "float64"), [=] {
            const auto x = sparse_vector(1);
            const auto y = sparse_vector(2);
            const auto run = [=] {
                Vector made = new_vector(100'000'000);
                check(combine(made.get(), x->get(), y->get()));
                return made;
            };
            return Task{run, [=] { return summary_of_stored(run()); }};
        });
    };
    add_merge("sparse_add", [](GrB_Vector out, GrB_Vector x, GrB_Vector y) {
        return GrB_Vector_eWiseAdd_BinaryOp(out, nullptr, nullptr, GrB_PLUS_FP64, x, y, nullptr);
    });
    add_merge("sparse_product", [](GrB_Vector out, GrB_Vector x, GrB_Vector y) {
        return GrB_Vector_eWiseMult_BinaryOp(out, nullptr, nullptr, GrB_TIMES_FP64, x, y, nullptr);
    });
});

const Cases matrices([] {
    add("csr_times_vector/1000000x10/float64", [] {
        const auto a = matrix(kSparseSide, kSparseStored, 1);
        const auto x = dense(kSparseSide);
        const auto out = std::make_shared<const Vector>(new_vector(kSparseSide));
        return Task{[=] { multiply(*out, *a, *x); },
                    [=] { return summary_of_dense(*out, kSparseSide); }};
    });
    add("csr_add/1000000x10/float64", [] {
        const auto a = matrix(kSparseSide, kSparseStored, 1);
        const auto b = matrix(kSparseSide, kSparseStored, 4);
        return made_matrix(kSparseSide, [=] {
            Matrix made = new_matrix(kSparseSide);
            check(GrB_Matrix_eWiseAdd_BinaryOp(made.get(), nullptr, nullptr, GrB_PLUS_FP64,
                                               a->get(), b->get(), nullptr));
            return made;
        });
    });
    add("csr_product/100000x10/float64", [] {
        const auto a = matrix(kProductSide, kProductStored, 1);
        const auto b = matrix(kProductSide, kProductStored, 4);
        return made_matrix(kProductSide, [=] {
            Matrix made = new_matrix(kProductSide);
            check(GrB_mxm(made.get(), nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, a->get(),
                          b->get(), nullptr));
            return made;
        });
    });
    add("coo_to_csr/10000000/float64", [] {
        const auto entries =
            std::make_shared<const Entries>(Coordinates(kSparseSide, kSparseStored, 1));
        return made_matrix(kSparseSide, [=] { return compress(*entries); });
    });
});

} // namespace
