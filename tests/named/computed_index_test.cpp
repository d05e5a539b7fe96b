#include "named_support.hpp"

#include <support/rounds.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace computed_index_test {

namespace {

using pv::index_t;

constexpr std::size_t kDims = 3;
using Assignment = std::array<index_t, kDims>;

/// A random table, indexed by anything that may stand at an axis, and what that means in the words of a loop.
template <typename T, typename I>
class RandomIndexing {
public:
    explicit RandomIndexing(unsigned seed) : random_(seed) {
        for (std::size_t d = 0; d < kDims; ++d)
            dims_[d].set_size(sizes_[d] = below(12) == 0 ? 0 : 1 + below(4));
        const index_t rank = 1 + below(4);
        for (index_t axis = 0; axis < rank; ++axis) add_axis();
    }

    /// Whether the tensor that indexing gives has the elements that the loops give.
    bool agrees() {
        pv::Tensor<T> table = random_table();
        const std::vector<T> values = pv::to_vector(table);
        const pv::DimTensor<T> x(
            pv::index_with_dims(pv::DimOperand(table.operand(), {}), indexes_));
        if (x.shape() != positional_) return false;
        std::vector<std::size_t> order;
        pv::DimTensor<T> ordered = x;
        for (std::size_t d = 0; d < kDims; ++d)
            if (position_of(dims_[d], pv::dims(x)) >= 0) order.insert(order.begin(), d);
        std::shuffle(order.begin(), order.end(), random_);
        for (const std::size_t d : order) ordered = ordered | pv::order(dims_[d]);
        const pv::Tensor<T> result = ordered;
        index_t at = 0;
        Assignment dims{};
        std::vector<index_t> places(positional_.size(), 0);
        const std::function<bool(std::size_t)> loop = [&](std::size_t depth) {
            if (depth == order.size() + positional_.size())
                return result.read(at++) == values[static_cast<std::size_t>(address(dims, places))];
            bool same = true;
            const bool is_dim = depth < order.size();
            // The last one that was ordered comes first.
            const std::size_t d = is_dim ? order[order.size() - 1 - depth] : depth - order.size();
            index_t& counter = is_dim ? dims[d] : places[d];
            for (counter = 0; counter < (is_dim ? sizes_[d] : positional_[d]); ++counter)
                same = loop(depth + 1) && same;
            return same;
        };
        return loop(0) && at == result.size();
    }

private:
    using Position = std::function<index_t(const Assignment&, const std::vector<index_t>&)>;

    index_t below(index_t n) { return std::uniform_int_distribution<index_t>(0, n - 1)(random_); }

    void add(index_t extent, pv::DimIndex index, Position position) {
        extents_.push_back(extent);
        indexes_.push_back(std::move(index));
        positions_.push_back(std::move(position));
    }

    void add_axis() {
        const auto d = static_cast<std::size_t>(below(kDims));
        const std::size_t place = positional_.size();
        switch (below(7)) {
        case 0: {
            const index_t extent = 1 + below(5);
            positional_.push_back(extent);
            return add(
                extent, pv::TensorIndex(pv::all),
                [place](const Assignment&, const std::vector<index_t>& at) { return at[place]; });
        }
        case 1:
            return add(sizes_[d], dims_[d],
                       [d](const Assignment& at, const std::vector<index_t>&) { return at[d]; });
        case 2:
            return add(
                sizes_[d] + 1, dims_[d] + 1,
                [d](const Assignment& at, const std::vector<index_t>&) { return at[d] + 1; });
        default: return add_computed();
        }
    }

    /// Indexes over up to two dims and up to two positional axes.
    void add_computed() {
        const index_t extent = 1 + below(6);
        std::vector<std::size_t> over;
        for (std::size_t d = 0; d < kDims; ++d)
            if (below(2) == 0 && over.size() < 2) over.push_back(d);
        std::shuffle(over.begin(), over.end(), random_);
        pv::Shape shape;
        std::vector<pv::DimIndex> bound;
        for (const std::size_t d : over) {
            shape.push_back(sizes_[d]);
            bound.emplace_back(dims_[d]);
        }
        const std::size_t first = positional_.size();
        for (index_t more = below(3); more > 0; --more) {
            shape.push_back(below(15) == 0 ? 0 : 1 + below(3));
            positional_.push_back(shape.back());
        }
        pv::MutableTensor<I> list = pv::empty<I>(shape);
        std::vector<index_t> wrapped;
        for (I& index : storage(list)) {
            const bool negative = std::is_signed_v<I> && below(3) == 0;
            wrapped.push_back(below(extent));
            index = static_cast<I>(negative ? wrapped.back() - extent : wrapped.back());
        }
        pv::Tensor<I> seen = list;
        if (below(3) == 0) seen = seen + I{0}; // computed
        const auto position = [=](const Assignment& at, const std::vector<index_t>& places) {
            index_t from = 0;
            for (std::size_t axis = 0; axis < shape.size(); ++axis)
                from = from * shape[axis] +
                       (axis < over.size() ? at[over[axis]] : places[first + axis - over.size()]);
            return wrapped[static_cast<std::size_t>(from)];
        };
        add(extent, pv::index_with_dims(pv::DimOperand(seen.operand(), {}), bound), position);
    }

    static std::span<I> storage(const pv::MutableTensor<I>& t) { return pv::as_span(t); }

    pv::Tensor<T> random_table() {
        pv::MutableTensor<T> table = pv::empty<T>(extents_);
        for (T& value : pv::as_span(table)) value = static_cast<T>(below(2 * 97));
        if (below(3) > 0 || std::same_as<T, bool>) return table;
        return below(2) == 0 ? pv::Tensor<T>(pv::clone(table | pv::flip) | pv::flip)
                             : pv::Tensor<T>(pv::cast<T>(table + T{1}));
    }

    index_t address(const Assignment& dims, const std::vector<index_t>& places) const {
        index_t address = 0;
        for (std::size_t axis = 0; axis < extents_.size(); ++axis)
            address = address * extents_[axis] + positions_[axis](dims, places);
        return address;
    }

    std::mt19937 random_;
    std::array<pv::Dim, kDims> dims_{pv::Dim("i"), pv::Dim("j"), pv::Dim("k")};
    std::array<index_t, kDims> sizes_{};
    pv::Shape extents_;
    pv::Shape positional_;
    std::vector<pv::DimIndex> indexes_;
    std::vector<Position> positions_;
};

} // namespace

TEST_CASE("indexing at computed indexes agrees with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(700U); ++seed) {
        INFO("seed " << seed);
        CHECK(RandomIndexing<double, std::int64_t>(seed).agrees());
        CHECK(RandomIndexing<float, std::int32_t>(1000 + seed).agrees());
        CHECK(RandomIndexing<std::int16_t, std::uint8_t>(2000 + seed).agrees());
        CHECK(RandomIndexing<bool, std::uint64_t>(3000 + seed).agrees());
    }
}

TEST_CASE("dims of indexes come where they first appear, and link") {
    const auto A = counted({4, 5, 6});
    const auto r = pv::tensor({3, 0, -1});
    const auto c = pv::tensor({1, -5, 4});
    const auto [n, m, f] = pv::dims("n", "m", "f");
    const auto pairs = A(r(n), c(n), f);
    CHECK(to_string(pv::dims(pairs)) == "(n, f)");
    const pv::Tensor<double> linked = pairs | pv::order(n, f);
    const pv::Tensor<double> grid = A(r(n), c(m), f) | pv::order(n, m, f);
    for (index_t a = 0; a < 3; ++a)
        for (index_t x = 0; x < 6; ++x) {
            CHECK(linked(a, x) == A(index_t(r(a)), index_t(c(a)), x));
            for (index_t b = 0; b < 3; ++b)
                CHECK(grid(a, b, x) == A(index_t(r(a)), index_t(c(b)), x));
        }
    CHECK(to_string(pv::dims(A(n + 1, c(m), f))) == "(n, m, f)");
    // Dims come first; what is left stays positional.
    CHECK((A(pv::all, c(n)) | pv::order(n)).shape() == pv::Shape{3, 4, 6});
#ifdef __cpp_multidimensional_subscript
    CHECK(equal<double>(A[r[n], c[n], f] | pv::order(n, f), linked));
#endif
}

TEST_CASE("an index may be any tensor of integers over dims") {
    const auto a = counted({7});
    const pv::Dim i("i", 7);
    const auto rolled = a(pv::where(i + 1 < i.size(), i + 1, 0)) | pv::order(i);
    CHECK(equal<double>(rolled, a | pv::rotate({-1})));
    CHECK(equal<double>(a(i * i % 7) | pv::order(i), pv::tensor({0., 1., 4., 2., 2., 4., 1.})));
    // Runs of indexes that ascend by one, over several blocks, of memory with and without steps; and what is no run, but
    // begins and ends as one.
    const auto many = counted({9000});
    const pv::Dim m("m", 4000);
    for (const auto& b :
         {many(pv::Range(0, 4000)), many(pv::Range(0, 8000, 2)), many(pv::Range(8999, 4999, -1))}) {
        CHECK(equal<double>(b(pv::where(m + 7 < 4000, m + 7, m - 3993)) | pv::order(m),
                            b | pv::rotate({-7})));
        auto swapped = pv::clone(pv::arange(4000));
        swapped(1500) = 1501;
        swapped(1501) = 1500;
        const pv::Tensor<double> odd = b(swapped(m)) | pv::order(m);
        for (const index_t at : {0, 1499, 1500, 1501, 1502, 3999}) CHECK(odd(at) == b(swapped(at)));
    }
    // Of what is computed, a part of a view, another gather, over dims already.
    const auto x = counted({7, 7});
    const pv::Tensor<double> chained = (x + 1.0)(i, a(i * i % 7) | pv::cast<int>) | pv::order(i);
    for (index_t n = 0; n < 7; ++n) CHECK(chained(n) == x(n, n * n % 7) + 1.0);
    const pv::Dim j("j");
    const pv::Tensor<double> bound = x(j)(pv::cast<int>(a(i))) | pv::order(j, i);
    CHECK(equal<double>(bound, x));
}

TEST_CASE("positional tensors are indexes, too") {
    const auto table = counted({5, 3});
    const auto ids = pv::tensor({{0, -1}, {4, 2}});
    const pv::Dim f("f");
    const auto rows = table(ids, f);
    CHECK(rows.shape() == pv::Shape{2, 2});
    CHECK(equal<double>(rows | pv::order(f), pv::take(table, ids, 0) | pv::transpose({2, 0, 1})));
    const auto scalar = pv::tensor({3})(0, pv::ellipsis) | pv::reshape({});
    CHECK(equal<double>(table(scalar, f) | pv::order(f), table(3, pv::all)));
    // Lists select as they do without dims: they are read when the index is made.
    CHECK(equal<double>(table(pv::tensor({1, 1}), f) | pv::order(f),
                        table(pv::tensor({1, 1}), pv::all) | pv::transpose));
    const pv::AnyTensor any = ids;
    CHECK(equal<double>(table(any, f) | pv::order(f), rows | pv::order(f)));
    // With axes of its own beside dims.
    const pv::Dim b("b");
    CHECK(table(ids(b), f).shape() == pv::Shape{2});
    CHECK(equal<double>(table(ids(b), f) | pv::order(b, 0, f), pv::take(table, ids, 0)));
    CHECK(equal<double>(table(ids(b) | pv::order(b), f) | pv::order(0, 1, f),
                        pv::take(table, ids, 0)));
}

TEST_CASE("indexes are read when elements are, and have to be in range") {
    auto table = counted({5, 3});
    auto ids = pv::tensor({0, 1, 2});
    const auto [i, f] = pv::dims("i", "f");
    const auto rows = table(ids(i), f) | pv::order(i, f);
    table(4, 1) = 100;
    ids(2) = -1;
    CHECK(double(rows(2, 1)) == 100);
    ids(1) = 5;
    CHECK(message_of<pv::IndexError>([&] { pv::to_vector(rows); }) ==
          "indexing: index 5 is out of range for axis 0, indexed over (i,), of size 5");
    CHECK(message_of<pv::IndexError>([&] {
              pv::sum(table(pv::all, ids(i) - 8), i);
          }).find("index -8 is out of range for axis 1, indexed over (i,), of size 3") !=
          std::string::npos);
    const auto x = table(pv::Dim("row"), f);
    CHECK(message_of<pv::IndexError>([&] { pv::clone(pv::index(x, f, pv::tensor({{3}}))); }) ==
          "index: index 3 is out of range for Dim 'f' of size 3");
    const pv::Dim none("none", 0);
    CHECK((pv::zeros({0, 3})(pv::zeros<int>({0})(none), f) | pv::order(none, f)).size() == 0);
    const pv::Dim n("n");
    CHECK(message_of<pv::IndexError>([&] {
              pv::clone(pv::zeros({0, 3})(ids(n), f));
          }).find("is out of range for axis 0, indexed over (n,), of size 0") != std::string::npos);
}

TEST_CASE("a failure of an indexing with computed indexes binds no dim") {
    const auto table = counted({5, 3});
    const auto ids = pv::tensor({0, 1});
    const auto [i, f, g] = pv::dims("i", "f", "g");
    const auto index = ids(i);
    CHECK(message_of<pv::IndexError>([&] { table(index, f, g); }) ==
          "indexing: indexes for 3 axes, and the tensor has 2 positional axes (dims () are bound)");
    CHECK(message_of<pv::DimError>([&] { table(f, i); }) != "nothing was thrown");
    CHECK_FALSE(f.has_size());
    CHECK(message_of<pv::DimError>([&] {
              table(pv::tensor({true, true})(i), f);
          }) != "nothing was thrown");
    CHECK_FALSE(f.has_size());
}

TEST_CASE("sizes of the dims of an index may come later") {
    const auto a = counted({3, 4});
    const auto [i, j] = pv::dims("i", "j");
    const auto wrapped = pv::where(i + 1 < 3, i + 1, 0);
    const auto x = a(wrapped, j); // i has no size yet, j takes its own
    CHECK(j.size() == 4);
    CHECK(x.rank() == 0);
    CHECK(to_string(pv::dims(x)) == "(i, j)");
    CHECK(message_of<pv::DimError>([&] { x | pv::order(i, j); }) ==
          "Dim 'i' has no size yet: index a tensor with it, or call set_size");
    const auto y = x(pv::ellipsis) * 2.0;
    i.set_size(3);
    CHECK(equal<double>(x | pv::order(i, j), a | pv::rotate({-1, 0})));
    CHECK(equal<double>(y | pv::order(i, j), (a | pv::rotate({-1, 0})) * 2.0));
}

TEST_CASE("sums of gathered rows add them as they are read") {
    const auto table = counted<float>({50, 16});
    const auto ids = pv::cast<std::int32_t>(counted({6, 7}) * 13.0 % 50.0) | pv::clone;
    const auto [batch, sequence, features] = pv::dims("batch", "sequence", "features");
    const auto bags = table(ids(batch, sequence), features);
    const auto text = pv::explain(pv::sum, bags, sequence);
    CAPTURE(text);
    CHECK(text.find("7 rows added to each of 6 as they are gathered") != std::string::npos);
    const pv::Tensor<float> sums = bags | pv::sum(sequence) | pv::order(batch, features);
    for (index_t b = 0; b < 6; ++b)
        for (index_t f = 0; f < 16; ++f) {
            float loops = 0;
            for (index_t s = 0; s < 7; ++s) loops += table(index_t(ids(b, s)), f);
            CHECK(sums(b, f) == loops);
        }
}

TEST_CASE("index takes dims away, and puts tensors in their place") {
    const auto A = counted({4, 5, 6});
    const auto r = pv::tensor({3, 0, -1});
    const auto c = pv::tensor({1, -5, 4});
    const auto [i, j, k, n] = pv::dims("i", "j", "k", "n");
    const auto x = A(i, j, k);
    CHECK(equal<double>(pv::index(x, j, c(n)) | pv::order(i, n, k),
                        A(i, c(n), k) | pv::order(i, n, k)));
    const auto grid = pv::tensor({{1, 0}, {2, 2}});
    CHECK(equal<double>(pv::index(x, j, grid) | pv::order(i, 0, 1, k), pv::take(A, grid, 1)));
    CHECK(equal<double>(x | pv::index(j, grid) | pv::order(i, 0, 1, k), pv::take(A, grid, 1)));
    const auto linked = A(r(n), c(n), k) | pv::order(n, k);
    CHECK(equal<double>(pv::index(x, {i, j}, {r(n), c(n)}) | pv::order(n, k), linked));
    CHECK(equal<double>(x | pv::index({i, j}, {r(n), c(n)}) | pv::order(n, k), linked));
    CHECK(
        equal<double>(pv::index(A(pv::all, j, k), {0, j}, {r(n), c(n)}) | pv::order(n, k), linked));
    CHECK(equal<double>(pv::index(x, {i, j}, {2, c(n)}) | pv::order(n, k),
                        A(2, c(n), k) | pv::order(n, k)));
    // As one axis.
    CHECK(equal<double>(pv::index(x, {i, j}, r(n) * 5 + c(n)) | pv::order(n, k),
                        (A | pv::reshape({20, 6}))(r(n) * 5 + c(n), k) | pv::order(n, k)));
    CHECK(message_of<pv::ShapeError>([&] {
              pv::index(x, {i, j}, {r(n)});
          }) == "index: 2 axes are given, and 1 values");
    // A dim that is linked with another one of the tensor.
    const pv::Tensor<double> d = pv::index(x, j, (i + k) % 5) | pv::order(i, k);
    for (index_t a = 0; a < 4; ++a)
        for (index_t b = 0; b < 6; ++b) CHECK(d(a, b) == A(a, (a + b) % 5, b));
}

} // namespace computed_index_test
