/// Sparse matrices by the loops that people write.

#include "../support/cases.hpp"
#include "../support/sparse_data.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using namespace bench;

struct Csr {
    std::vector<std::int32_t> pointers;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
};

/// A counting sort. Columns stay in the order given.
Csr compress(const Coordinates& a) {
    Csr made;
    made.pointers.assign(static_cast<std::size_t>(a.side) + 1, 0);
    made.columns.resize(a.rows.size());
    made.values.resize(a.rows.size());
    for (const std::int32_t row : a.rows) ++made.pointers[static_cast<std::size_t>(row) + 1];
    for (std::size_t r = 1; r < made.pointers.size(); ++r) made.pointers[r] += made.pointers[r - 1];
    std::vector<std::int32_t> next(made.pointers.begin(), made.pointers.end() - 1);
    for (std::size_t k = 0; k < a.rows.size(); ++k) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(a.rows[k])]++);
        made.columns[at] = a.columns[k];
        made.values[at] = a.values[k];
    }
    return made;
}

/// The same with the columns of each row in order.
Csr compress_in_order(const Coordinates& a) {
    Coordinates turned(a);
    turned.rows.swap(turned.columns);
    const Csr by_columns = compress(turned);
    std::size_t k = 0;
    for (std::int32_t c = 0; c < a.side; ++c)
        for (; k < static_cast<std::size_t>(by_columns.pointers[static_cast<std::size_t>(c) + 1]);
             ++k) {
            turned.rows[k] = by_columns.columns[k];
            turned.columns[k] = c;
            turned.values[k] = by_columns.values[k];
        }
    return compress(turned);
}

void multiply(const Csr& a, const std::vector<double>& x, std::vector<double>& out) {
    const std::int32_t* const columns = a.columns.data();
    const double* const values = a.values.data();
    const double* const from = x.data();
    for (std::size_t r = 0; r < out.size(); ++r) {
        double sum = 0;
        for (std::int32_t k = a.pointers[r]; k < a.pointers[r + 1]; ++k)
            sum += values[k] * from[columns[k]];
        out[r] = sum;
    }
}

Summary summary_of_product(const Csr& a, const std::vector<double>& x) {
    std::vector<double> out(a.pointers.size() - 1);
    multiply(a, x, out);
    return summary_of(out.data(), out.size());
}

Csr add_matrices(const Csr& a, const Csr& b) {
    Csr made;
    const std::size_t rows = a.pointers.size() - 1;
    made.pointers.assign(rows + 1, 0);
    made.columns.resize(a.columns.size() + b.columns.size());
    made.values.resize(made.columns.size());
    std::size_t to = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        auto i = static_cast<std::size_t>(a.pointers[r]);
        auto j = static_cast<std::size_t>(b.pointers[r]);
        const auto i_end = static_cast<std::size_t>(a.pointers[r + 1]);
        const auto j_end = static_cast<std::size_t>(b.pointers[r + 1]);
        while (i < i_end || j < j_end) {
            const bool first = j == j_end || (i < i_end && a.columns[i] <= b.columns[j]);
            const bool second = i == i_end || (j < j_end && b.columns[j] <= a.columns[i]);
            made.columns[to] = first ? a.columns[i] : b.columns[j];
            double sum = 0;
            if (first) sum += a.values[i++];
            if (second) sum += b.values[j++];
            made.values[to++] = sum;
        }
        made.pointers[r + 1] = static_cast<std::int32_t>(to);
    }
    made.columns.resize(to);
    made.values.resize(to);
    return made;
}

Coordinates read_mtx(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const char* at = text.c_str();
    while (*at == '%') at = std::strchr(at, '\n') + 1;
    char* next = nullptr;
    const long rows = std::strtol(at, &next, 10);
    std::strtol(next, &next, 10);
    const long stored = std::strtol(next, &next, 10);
    Coordinates made(1, 0, 1);
    made.side = static_cast<std::int32_t>(rows);
    for (long k = 0; k < stored; ++k) {
        made.rows.push_back(static_cast<std::int32_t>(std::strtol(next, &next, 10) - 1));
        made.columns.push_back(static_cast<std::int32_t>(std::strtol(next, &next, 10) - 1));
        made.values.push_back(std::strtod(next, &next));
    }
    return made;
}

const Cases sparse([] {
    add("csr_times_vector/1000000x10/float64", [] {
        const auto a = std::make_shared<const Csr>(
            compress_in_order(Coordinates(kSparseSide, kSparseStored, 1)));
        const auto x = std::make_shared<const std::vector<double>>(random_vector(kSparseSide, 9));
        const auto out = std::make_shared<std::vector<double>>(kSparseSide);
        return Task{[=] { multiply(*a, *x, *out); },
                    [=] { return summary_of(out->data(), out->size()); }};
    });
    add("csr_add/1000000x10/float64", [] {
        const auto a = std::make_shared<const Csr>(
            compress_in_order(Coordinates(kSparseSide, kSparseStored, 1)));
        const auto b = std::make_shared<const Csr>(
            compress_in_order(Coordinates(kSparseSide, kSparseStored, 4)));
        const auto x = std::make_shared<const std::vector<double>>(random_vector(kSparseSide, 9));
        return Task{[=] { return add_matrices(*a, *b); },
                    [=] { return summary_of_product(add_matrices(*a, *b), *x); }};
    });
    add("coo_to_csr/10000000/float64", [] {
        const auto a = std::make_shared<const Coordinates>(kSparseSide, kSparseStored, 1);
        const auto x = std::make_shared<const std::vector<double>>(random_vector(kSparseSide, 9));
        return Task{[=] { return compress(*a); },
                    [=] { return summary_of_product(compress(*a), *x); }};
    });
    add("read_mtx/10000000/float64", [] {
        const std::string path =
            std::filesystem::temp_directory_path() / "purview_benchmark_by_hand.mtx";
        const Coordinates a(kSparseSide, kSparseStored, 1);
        std::FILE* const file = std::fopen(path.c_str(), "w");
        std::fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %zu\n", a.side,
                     a.side, a.rows.size());
        for (std::size_t k = 0; k < a.rows.size(); ++k)
            std::fprintf(file, "%d %d %.17g\n", a.rows[k] + 1, a.columns[k] + 1, a.values[k]);
        std::fclose(file);
        const auto x = std::make_shared<const std::vector<double>>(random_vector(kSparseSide, 9));
        return Task{[=] { return read_mtx(path); },
                    [=] { return summary_of_product(compress(read_mtx(path)), *x); }};
    });
});

} // namespace
