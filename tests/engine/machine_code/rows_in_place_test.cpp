/// Machine code that goes from row to row of views, beside threaded code.

#include "engine/machine_code/machine_code.hpp"

#include <purview/purview.hpp>

#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace rows_in_place_test {
namespace {

namespace pv = purview;
using pv::index_t;
using pv::engine::set_translation;
using pv::engine::Translation;

/// A random box of `shape` inside of a larger array, some axes repeated.
template <typename T>
pv::Tensor<T> random_view(const pv::Shape& shape, std::mt19937& random) {
    pv::Shape outer;
    pv::Shape firsts;
    for (const index_t extent : shape) {
        const auto before = static_cast<index_t>(random() % 3);
        firsts.push_back(before);
        outer.push_back(random() % 5 == 0 ? 1
                                          : before + extent + static_cast<index_t>(random() % 3));
    }
    pv::MutableTensor<T> whole = pv::empty<T>(outer);
    for (auto&& x : whole) x = static_cast<T>(static_cast<int>(random() % 2001) - 1000) / T{8};
    std::vector<pv::TensorIndex> box;
    for (std::size_t a = 0; a < shape.size(); ++a)
        box.push_back(outer[a] == 1 ? pv::TensorIndex(pv::range(0, 1))
                                    : pv::TensorIndex(pv::range(firsts[a], firsts[a] + shape[a])));
    return pv::Tensor<T>(pv::select_operand(whole.operand(), box)) | pv::broadcast(shape);
}

template <typename T>
void check_views(unsigned seed) {
    std::mt19937 random(seed);
    pv::Shape shape;
    const auto rank = 2 + random() % 3;
    for (std::size_t a = 0; a < rank; ++a) shape.push_back(1 + static_cast<index_t>(random() % 9));
    shape.back() = 1 + static_cast<index_t>(random() % 90);
    std::vector<pv::Tensor<T>> x;
    const auto count = 2 + random() % 14; // more than there are registers for addresses
    for (std::size_t i = 0; i < count; ++i) x.push_back(random_view<T>(shape, random));
    pv::Tensor<T> sum = x[0] * T{3};
    for (std::size_t i = 1; i < count; ++i) {
        if (random() % 3 == 0)
            sum = pv::maximum(sum, x[i]);
        else if (random() % 2 == 0)
            sum = x[i] - sum * T(0.5);
        else
            sum = sum + pv::abs(x[i]);
    }
    pv::Shape outer = shape;
    for (index_t& extent : outer) extent += static_cast<index_t>(random() % 2);
    const auto result_of = [&](Translation translation) {
        set_translation(translation);
        pv::MutableTensor<T> out = pv::full(outer, T{7});
        std::vector<pv::TensorIndex> box;
        for (const index_t extent : shape) box.emplace_back(pv::range(0, extent));
        const pv::MutableTensor<T> part(pv::select_operand(out.operand(), box));
        for (int repeat = 0; repeat < 2; ++repeat) pv::copy(sum, part);
        return pv::to_vector(out);
    };
    std::vector<T> expected; // by a plan of its own: threads do not share plans
    std::thread([&] { expected = result_of(Translation::never); }).join();
    const std::vector<T> actual = result_of(Translation::at_once);
    INFO("seed " << seed << ", shape " << pv::to_string(shape) << ", " << count << " operands");
    REQUIRE(std::memcmp(expected.data(), actual.data(), expected.size() * sizeof(T)) == 0);
}

} // namespace

TEST_CASE("Machine code: rows of views") {
    for (unsigned seed = 0; seed < oracle::rounds(600u); ++seed) {
        check_views<float>(seed);
        check_views<double>(seed);
    }
    set_translation(Translation::when_worthwhile);
}

} // namespace rows_in_place_test
