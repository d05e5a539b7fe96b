/// Different words for the same result: no two of them are to lie far apart. The words of a cliff are the sizes of its
/// cases: `cliff_rows/take/float64`. driver/cliffs.py compares them.

#include "../support/sparse_data.hpp"
#include "inputs.hpp"

#include <purview/sparse.hpp>

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace bench;
using pv::all;
using pv::index_t;
using pv::new_axis;

/// The words for one thing, said of what `Inputs` prepares.
template <typename Inputs>
class Cliff {
public:
    explicit Cliff(const char* what, const char* dtype = "float64") : what_(what), dtype_(dtype) {}

    /// `f(inputs)` gives a number, or what is cloned.
    template <typename F>
    Cliff& word(const char* name, F f) {
        add(case_name(std::string("cliff_") + what_, name, dtype_), [=] {
            const auto inputs = std::make_shared<const Inputs>();
            using Result = std::remove_cvref_t<std::invoke_result_t<F, const Inputs&>>;
            if constexpr (std::is_arithmetic_v<Result>)
                return number([=] { return f(*inputs); });
            else
                return made([=] { return pv::to_dense(f(*inputs)) | pv::clone; });
        });
        return *this;
    }

private:
    const char* what_;
    const char* dtype_;
};

std::vector<index_t> every_other(index_t count) {
    std::vector<index_t> list;
    for (index_t i = 0; i < count; i += 1 + i % 3) list.push_back(i);
    return list;
}
pv::MutableTensor<bool> mask_of(const std::vector<index_t>& list, index_t count) {
    auto mask = pv::zeros<bool>({count});
    for (const index_t i : list) mask(i) = true;
    return mask;
}

struct Matrix {
    pv::Tensor<double> x = random_tensor({1000, 1000}, 1);
    pv::Tensor<double> y = random_tensor({1000, 1000}, 2);
    pv::Tensor<double> ones = pv::clone(pv::ones<double>({1000}));
    std::vector<index_t> list = every_other(1000);
    pv::Tensor<index_t> ids = pv::tensor(list);
    pv::Tensor<bool> rows = mask_of(list, 1000);
    pv::IndexSet set = pv::index_set(rows);
};

const Cases selections([] {
    Cliff<Matrix>("rows")
        .word("list", [](const Matrix& m) { return m.x(m.list, all); })
        .word("tensor", [](const Matrix& m) { return m.x(m.ids, all); })
        .word("take", [](const Matrix& m) { return pv::take(m.x, m.ids, 0); })
        .word("mask", [](const Matrix& m) { return m.x(m.rows, all); })
        .word("set", [](const Matrix& m) { return m.x(m.set, all); });
    Cliff<Matrix>("columns")
        .word("list", [](const Matrix& m) { return m.x(all, m.list); })
        .word("take", [](const Matrix& m) { return pv::take(m.x, m.ids, 1); })
        .word("mask", [](const Matrix& m) { return m.x(all, m.rows); })
        .word("set", [](const Matrix& m) { return m.x(all, m.set); });
    Cliff<Matrix>("diagonal")
        .word("diagonal", [](const Matrix& m) { return pv::diagonal(m.x); })
        .word("diag", [](const Matrix& m) { return pv::diag(m.x); })
        .word("dims", [](const Matrix& m) {
            const pv::Dim i("i");
            return pv::order(m.x(i, i), i);
        });
    Cliff<Matrix>("where")
        .word("where", [](const Matrix& m) { return pv::where(m.x > 0.5, m.x, 0.); })
        .word("times_mask", [](const Matrix& m) { return m.x * pv::cast<double>(m.x > 0.5); })
        .word("maximum", [](const Matrix& m) {
            return pv::emap([](double v) { return v > 0.5 ? v : 0.; }, m.x);
        });
    Cliff<Matrix>("how_many")
        .word("count_true", [](const Matrix& m) { return pv::count_true(m.x > 0.5); })
        .word("sum", [](const Matrix& m) { return pv::sum(m.x > 0.5); })
        .word("argfilter", [](const Matrix& m) { return pv::argfilter(m.x > 0.5).size(); });
    Cliff<Matrix>("outer")
        .word(
            "axes",
            [](const Matrix& m) { return m.x(0, all)(all, new_axis) * m.y(0, all)(new_axis, all); })
        .word("outer", [](const Matrix& m) { return pv::outer(m.x(0, all), m.y(0, all)); })
        .word("matmul",
              [](const Matrix& m) {
                  return pv::matmul(m.x(0, all)(all, new_axis), m.y(0, all)(new_axis, all));
              })
        .word("dims", [](const Matrix& m) {
            const pv::Dim i("i"), j("j");
            return pv::order(m.x(0, all)(i) * m.y(0, all)(j), i, j);
        });
});

const Cases sums([] {
    Cliff<Matrix>("sum_of_columns")
        .word("sum", [](const Matrix& m) { return pv::sum(m.x, 0); })
        .word("transposed", [](const Matrix& m) { return pv::sum(pv::transpose(m.x), 1); })
        .word("matmul", [](const Matrix& m) { return pv::matmul(m.ones, m.x); })
        .word("dims",
              [](const Matrix& m) {
                  const pv::Dim i("i"), j("j");
                  return pv::order(pv::sum(m.x(i, j), i), j);
              })
        .word("map_axis", [](const Matrix& m) {
            return pv::reduce_axis([](const auto& v) { return pv::sum(v); }, m.x, 0);
        });
    Cliff<Matrix>("sum_of_rows")
        .word("sum", [](const Matrix& m) { return pv::sum(m.x, 1); })
        .word("transposed", [](const Matrix& m) { return pv::sum(pv::transpose(m.x), 0); })
        .word("matmul", [](const Matrix& m) { return pv::matmul(m.x, m.ones); })
        .word("dims", [](const Matrix& m) {
            const pv::Dim i("i"), j("j");
            return pv::order(pv::sum(m.x(i, j), j), i);
        });
    Cliff<Matrix>("sum_of_squares")
        .word("sq", [](const Matrix& m) { return pv::sum(pv::sq(m.x)); })
        .word("product", [](const Matrix& m) { return pv::sum(m.x * m.x); })
        .word(
            "dot",
            [](const Matrix& m) { return pv::dot(pv::reshape(m.x, {-1}), pv::reshape(m.x, {-1})); })
        .word("norm", [](const Matrix& m) { return pv::sq(pv::norm(m.x)); });
    Cliff<Matrix>("normalised_rows")
        .word("keep_dims", [](const Matrix& m) { return m.x / pv::sum(m.x, 1, pv::keep_dims); })
        .word("new_axis", [](const Matrix& m) { return m.x / pv::sum(m.x, 1)(all, new_axis); })
        .word("dims", [](const Matrix& m) {
            const pv::Dim i("i"), j("j");
            return pv::order(m.x(i, j) / pv::sum(m.x(i, j), j), i, j);
        });
});

struct Image {
    pv::Tensor<std::uint8_t> b = random_tensor<std::uint8_t>({1080, 1920}, 1, 200);
    pv::Tensor<std::uint8_t> half = random_tensor<std::uint8_t>({540, 960}, 2, 50);
    std::vector<index_t> twice_rows = twice(540);
    std::vector<index_t> twice_columns = twice(960);

    static std::vector<index_t> twice(index_t count) {
        std::vector<index_t> list;
        for (index_t i = 0; i < 2 * count; ++i) list.push_back(i / 2);
        return list;
    }
};

const Cases images([] {
    Cliff<Image>("channels", "uint8")
        .word("stack_last",
              [](const Image& m) {
                  return pv::stack({m.b, m.b, m.b}, 2);
              })
        .word("stack_first",
              [](const Image& m) {
                  return pv::clone(pv::stack({m.b, m.b, m.b}, 0)) | pv::transpose({1, 2, 0});
              })
        .word("concat",
              [](const Image& m) {
                  const auto c = m.b(all, all, new_axis);
                  return pv::concat({c, c, c}, 2);
              })
        .word("assign",
              [](const Image& m) {
                  const auto out = pv::empty<std::uint8_t>({1080, 1920, 3});
                  for (index_t c = 0; c < 3; ++c) pv::copy(m.b, out(all, all, c));
                  return out;
              })
        .word("repeat", [](const Image& m) { return pv::repeat(m.b(all, all, new_axis), 3, 2); })
        .word("broadcast", [](const Image& m) {
            return m.b(all, all, new_axis) | pv::broadcast({1080, 1920, 3});
        });
    Cliff<Image>("upsampled", "uint8")
        .word("repeat", [](const Image& m) { return pv::repeat(pv::repeat(m.half, 2, 0), 2, 1); })
        .word("list", [](const Image& m) { return m.half(m.twice_rows, m.twice_columns); })
        .word("axes", [](const Image& m) {
            return m.half(all, new_axis, all, new_axis) | pv::broadcast({540, 2, 960, 2}) |
                   pv::reshape({1080, 1920});
        });
    Cliff<Image>("added_upsampled", "uint8")
        .word("repeat",
              [](const Image& m) { return m.b + pv::repeat(pv::repeat(m.half, 2, 0), 2, 1); })
        .word("clone", [](const Image& m) {
            return m.b + pv::clone(pv::repeat(pv::repeat(m.half, 2, 0), 2, 1));
        });
    Cliff<Image>("tiled", "uint8")
        .word("tile",
              [](const Image& m) {
                  return pv::tile(m.half, {2, 2});
              })
        .word("broadcast",
              [](const Image& m) {
                  return m.half | pv::broadcast({1080, 1920});
              })
        .word("concat", [](const Image& m) {
            const auto row = pv::concat({m.half, m.half}, 1);
            return pv::concat({row, row}, 0);
        });
});

struct Tall {
    pv::Tensor<double> x = random_tensor({100000, 16}, 1);
    pv::Tensor<double> column = random_tensor({100000, 1}, 2);
};

const Cases short_axes([] {
    Cliff<Tall>("one_more_column")
        .word("concat",
              [](const Tall& m) {
                  return pv::concat({m.x, m.column}, 1);
              })
        .word("assign",
              [](const Tall& m) {
                  const auto out = pv::empty<double>({100000, 17});
                  pv::copy(m.x, out(all, pv::range(0, 16)));
                  pv::copy(m.column, out(all, pv::range(16, 17)));
                  return out;
              })
        .word("pad", [](const Tall& m) {
            const auto out = pv::clone(pv::pad(m.x, {{0, 0}, {0, 1}}));
            pv::copy(m.column, out(all, pv::range(16, 17)));
            return out;
        });
    Cliff<Tall>("sorted_columns")
        .word("axis", [](const Tall& m) { return pv::sort(m.x, 0); })
        .word("transposed", [](const Tall& m) {
            return pv::transpose(pv::sort(pv::clone(pv::transpose(m.x)), 1));
        });
    Cliff<Tall>("five_largest_of_rows")
        .word("topk", [](const Tall& m) { return pv::topk(m.x, 5).values; })
        .word("sort",
              [](const Tall& m) { return pv::sort(m.x, 1, pv::descending)(all, pv::range(0, 5)); });
    Cliff<Tall>("sum_of_short_rows")
        .word("sum", [](const Tall& m) { return pv::sum(m.x, 1); })
        .word("columns", [](const Tall& m) {
            auto sum = pv::clone(m.x(all, 0));
            for (index_t c = 1; c < 16; ++c) sum += m.x(all, c);
            return sum;
        });
});

struct Pairs {
    static constexpr std::int32_t kSide = 20000;

    pv::Tensor<double> s = pv::sparse_tensor(
        [] {
            Coordinates made(kSide, 1000000, 1);
            return pv::CooMatrix<double, std::int32_t>(
                kSide, kSide, pv::tensor(std::move(made.rows)), pv::tensor(std::move(made.columns)),
                pv::tensor(std::move(made.values)));
        }(),
        pv::Duplicates::sum);
    pv::Tensor<double> ones = pv::clone(pv::ones<double>({kSide}));
    pv::Tensor<double> few = random_tensor({kSide, 8}, 3);
    std::vector<index_t> three{3, 500, 19999};
    pv::Tensor<index_t> ids = pv::tensor(three);
    pv::Tensor<bool> mask = mask_of(three, kSide);
    std::vector<index_t> half = every_other(kSide);
    pv::Tensor<index_t> half_ids = pv::tensor(half);
    pv::Tensor<bool> half_mask = mask_of(half, kSide);
};

const Cases sparse_words([] {
    Cliff<Pairs>("sparse_three_rows")
        .word("list", [](const Pairs& m) { return m.s(m.three, all); })
        .word("take", [](const Pairs& m) { return pv::take(m.s, m.ids, 0); })
        .word("mask", [](const Pairs& m) { return m.s(m.mask, all); })
        .word("set", [](const Pairs& m) { return m.s(pv::index_set(m.mask), all); });
    Cliff<Pairs>("sparse_three_columns")
        .word("list", [](const Pairs& m) { return m.s(all, m.three); })
        .word("take", [](const Pairs& m) { return pv::take(m.s, m.ids, 1); })
        .word("mask", [](const Pairs& m) { return m.s(all, m.mask); });
    Cliff<Pairs>("sparse_half_of_rows")
        .word("list", [](const Pairs& m) { return pv::sum(pv::clone(m.s(m.half, all)), 1); })
        .word("take",
              [](const Pairs& m) { return pv::sum(pv::clone(pv::take(m.s, m.half_ids, 0)), 1); })
        .word("mask", [](const Pairs& m) { return pv::sum(pv::clone(m.s(m.half_mask, all)), 1); });
    Cliff<Pairs>("sparse_sum_of_columns")
        .word("sum", [](const Pairs& m) { return pv::sum(m.s, 0); })
        .word("transposed", [](const Pairs& m) { return pv::sum(pv::transpose(m.s), 1); })
        .word("matmul", [](const Pairs& m) { return pv::matmul(m.ones, m.s); })
        .word("dims", [](const Pairs& m) {
            const pv::Dim i("i"), j("j");
            return pv::order(pv::sum(m.s(i, j), i), j);
        });
    Cliff<Pairs>("sparse_sum_of_rows")
        .word("sum", [](const Pairs& m) { return pv::sum(m.s, 1); })
        .word("matmul", [](const Pairs& m) { return pv::matmul(m.s, m.ones); });
    Cliff<Pairs>("sparse_sum")
        .word("sum", [](const Pairs& m) { return pv::sum(m.s); })
        .word("axes",
              [](const Pairs& m) {
                  return pv::sum(pv::to_dense(pv::sum(m.s, {0, 1})));
              })
        .word("transposed", [](const Pairs& m) { return pv::sum(pv::transpose(m.s)); })
        .word("times_one", [](const Pairs& m) { return pv::sum(m.s * 1.); });
    Cliff<Pairs>("sparse_sum_of_squares")
        .word("sq", [](const Pairs& m) { return pv::sum(pv::sq(m.s)); })
        .word("product", [](const Pairs& m) { return pv::sum(m.s * m.s); })
        .word("magnitudes", [](const Pairs& m) { return pv::sum(pv::abs(m.s) * m.s); });
    Cliff<Pairs>("sparse_counts")
        .word("columns", [](const Pairs& m) { return pv::count_true(m.s != 0., 0); })
        .word("transposed",
              [](const Pairs& m) { return pv::count_true(pv::transpose(m.s) != 0., 1); });
    Cliff<Pairs>("sparse_norms_of_columns")
        .word("norm", [](const Pairs& m) { return pv::norm(m.s, 1, 0); })
        .word("sum", [](const Pairs& m) { return pv::sum(pv::abs(m.s), 0); });
    Cliff<Pairs>("sparse_three_factors")
        .word("einsum", [](const Pairs& m) { return pv::einsum("i,ij,j->j", m.ones, m.s, m.ones); })
        .word("matmul", [](const Pairs& m) { return pv::matmul(m.ones, m.s) * m.ones; })
        .word("axes",
              [](const Pairs& m) { return pv::sum(m.ones(all, new_axis) * m.s * m.ones, 0); });
    Cliff<Pairs>("sparse_rolled")
        .word("roll", [](const Pairs& m) { return pv::sum(pv::clone(pv::roll(m.s, 5, 0)), 1); })
        .word("concat", [](const Pairs& m) {
            constexpr index_t kEnd = Pairs::kSide;
            return pv::sum(
                pv::clone(pv::concat(
                    {m.s(pv::range(kEnd - 5, kEnd), all), m.s(pv::range(0, kEnd - 5), all)}, 0)),
                1);
        });
    Cliff<Pairs>("sparse_sum_of_some_columns")
        .word("view", [](const Pairs& m) { return pv::sum(m.s(m.half, all), 0); })
        .word("clone", [](const Pairs& m) { return pv::sum(pv::clone(m.s(m.half, all)), 0); });
    Cliff<Pairs>("sparse_transposed_product")
        .word("transpose", [](const Pairs& m) { return pv::matmul(pv::transpose(m.s), m.few); })
        .word("turned",
              [](const Pairs& m) { return pv::transpose(pv::matmul(pv::transpose(m.few), m.s)); })
        .word("clone",
              [](const Pairs& m) { return pv::matmul(pv::clone(pv::transpose(m.s)), m.few); });
    Cliff<Pairs>("sparse_diagonal")
        .word("diagonal", [](const Pairs& m) { return pv::diagonal(m.s); })
        .word("dims", [](const Pairs& m) {
            const pv::Dim i("i");
            return pv::order(m.s(i, i), i);
        });
    Cliff<Pairs>("sparse_symmetric_sum")
        .word("transpose",
              [](const Pairs& m) { return pv::sum(pv::clone(m.s + pv::transpose(m.s)), 1); })
        .word("clone", [](const Pairs& m) {
            return pv::sum(pv::clone(m.s + pv::clone(pv::transpose(m.s))), 1);
        });
});

} // namespace
