#pragma once

// Random expressions over random views, on the host and on a device.
#include "same_bits.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/piecewise.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace gpu_tests {

using pv::Dimensions;
using pv::Operand;
using pv::Tensor;
namespace dims = pv::dimensions;
using Extents = std::vector<index_t>;

/// The same thing on the host and on a device.
template <typename T>
struct Twins {
    Tensor<T> host, there;

    template <typename F>
    Twins viewed(F&& f) const {
        const auto seen = [&](const Tensor<T>& x) {
            return Tensor<T>(Operand{x.operand().node, f(x.operand().dims)});
        };
        return {seen(host), seen(there)};
    }
};

class Cases {
public:
    Cases(const gpu::Device& d, std::uint64_t seed) : device_(d), random_(seed) {}

    index_t pick(index_t n) { return static_cast<index_t>(random_() % static_cast<unsigned>(n)); }

    Extents shape() {
        Extents shape(static_cast<std::size_t>(pick(5)));
        for (index_t& e : shape) e = 1 + pick(shape.size() > 2 ? 8 : 60);
        if (pick(8) == 0) return {200, 170};
        if (pick(8) == 0) return {70001};
        if (shape.size() == 2 && pick(2) != 0) shape[1] = shape[0];
        return shape;
    }

    template <typename T>
    pv::MutableTensor<T> elements(const Extents& shape) {
        const auto h = pv::empty<T>(pv::ShapeSpan(shape));
        for (index_t i = 0; i < h.size(); ++i) h.data()[i] = element<T>();
        return h;
    }
    template <typename T>
    Twins<T> leaf(const Extents& shape) {
        const auto h = elements<T>(shape);
        return {h, gpu::to_device(h, device_)};
    }

    /// A leaf seen through a view that has this shape.
    template <typename T>
    Twins<T> view(const Extents& shape) {
        const std::size_t rank = shape.size();
        const auto axis = [&] { return static_cast<std::size_t>(pick(std::ssize(shape))); };
        switch (rank == 0 ? 8 : pick(10)) {
        case 0: { // transposed
            const Extents axes = permutation(rank);
            Extents from(rank);
            for (std::size_t i = 0; i < rank; ++i) from[index(axes[i])] = shape[i];
            return leaf<T>(from).viewed(
                [&](const Dimensions& x) { return dims::transpose(x, axes); });
        }
        case 1: { // reversed
            const Extents axes{static_cast<index_t>(axis())};
            return leaf<T>(shape).viewed([&](const Dimensions& x) { return dims::flip(x, axes); });
        }
        case 2: { // every second or third
            const std::size_t a = axis();
            const index_t step = 2 + pick(2);
            Extents from = shape;
            from[a] = shape[a] * step + 1;
            return leaf<T>(from).viewed([&](const Dimensions& x) {
                return dims::select(x, static_cast<index_t>(a),
                                    pv::range(1, 1 + shape[a] * step, step));
            });
        }
        case 3: { // broadcast by NumPy's rule
            Extents from = shape;
            for (index_t& e : from)
                if (pick(2) != 0) e = 1;
            if (pick(2) != 0) from.erase(from.begin());
            return leaf<T>(from).viewed(
                [&](const Dimensions& x) { return dims::expand(x, shape); });
        }
        case 4: { // rotated
            Extents by(rank);
            for (index_t& b : by) b = pick(20) - 10;
            return leaf<T>(shape).viewed([&](const Dimensions& x) { return dims::rotate(x, by); });
        }
        case 5: { // tiled
            Extents from = shape;
            for (index_t& e : from)
                if (e % 2 == 0 && pick(2) != 0) e /= 2;
            return leaf<T>(from).viewed(
                [&](const Dimensions& x) { return dims::broadcast(x, shape); });
        }
        case 6: { // a list of indexes
            const std::size_t a = axis();
            Extents from = shape;
            from[a] = shape[a] + 3;
            Extents list(index(shape[a]));
            for (index_t& i : list) i = pick(from[a]);
            const auto indexes = std::make_shared<const pv::IndexList>(list);
            return leaf<T>(from).viewed([&](const Dimensions& x) {
                return dims::select(x, static_cast<index_t>(a), indexes);
            });
        }
        case 7: { // another shape of a transposed one: may need a second layer
            index_t n = 1;
            for (const index_t e : shape) n *= e;
            if (n % 2 != 0) return leaf<T>(shape);
            const Extents from{n / 2, 2}, axes{1, 0};
            return leaf<T>(from).viewed([&](const Dimensions& x) {
                return dims::reshape(dims::transpose(x, axes), shape);
            });
        }
        default: return leaf<T>(shape);
        }
    }

    template <typename T>
    Twins<T> expression(const Extents& shape) {
        std::vector<Twins<T>> all;
        for (index_t leaves = 1 + pick(3); leaves > 0; --leaves) all.push_back(view<T>(shape));
        const auto any = [&] { return all[index(pick(std::ssize(all)))]; };
        for (index_t steps = 3 + pick(10); steps > 0; --steps) {
            const Twins<T> a = any(), b = any(), c = any();
            all.push_back(step(shape, a, b, c));
        }
        return all.back();
    }

    /// A view of what is written, which has this shape, of the leaf that it lies in.
    template <typename T>
    Dimensions destination(const Dimensions& whole) {
        const auto shape = whole.max_shape();
        const std::size_t rank = shape.size();
        if (rank == 0) return whole;
        switch (pick(5)) {
        case 0: return dims::transpose(whole, permutation(rank));
        case 1: return dims::flip(whole, Extents{pick(std::ssize(shape))});
        case 2: {
            Extents by(rank);
            for (index_t& b : by) b = pick(20) - 10;
            return dims::rotate(whole, by);
        }
        case 3: {
            const index_t a = pick(std::ssize(shape));
            Extents list(index((shape[index(a)] + 1) / 2)); // each once
            Extents every(index(shape[index(a)]));
            std::iota(every.begin(), every.end(), index_t{0});
            std::shuffle(every.begin(), every.end(), random_);
            std::copy_n(every.begin(), list.size(), list.begin());
            return dims::select(whole, a, std::make_shared<const pv::IndexList>(list));
        }
        default: return dims::select(whole, 0, pv::range(shape[0] - 1, {}, -(1 + pick(2))));
        }
    }

private:
    static std::size_t index(index_t i) { return static_cast<std::size_t>(i); }

    Extents permutation(std::size_t rank) {
        Extents axes(rank);
        std::iota(axes.begin(), axes.end(), index_t{0});
        std::shuffle(axes.begin(), axes.end(), random_);
        return axes;
    }

    template <typename T>
    T element() {
        if constexpr (std::floating_point<T>) {
            switch (pick(200)) {
            case 0: return std::numeric_limits<T>::quiet_NaN();
            case 1: return std::numeric_limits<T>::infinity();
            case 2: return T(-0.0);
            case 3: return std::numeric_limits<T>::denorm_min() * 5;
            default:
                return T((static_cast<double>(random_() >> 11) / 9007199254740992.0 - 0.5) * 20);
            }
        } else {
            return static_cast<T>(random_() >> pick(60));
        }
    }

    template <typename T>
    Twins<T> step(const Extents& shape, const Twins<T>& a, const Twins<T>& b, const Twins<T>& c) {
        const T k = static_cast<T>(1 + pick(9));
        const auto both = [&](auto&& f) {
            return Twins<T>{Tensor<T>(f(a.host, b.host, c.host)),
                            Tensor<T>(f(a.there, b.there, c.there))};
        };
        switch (pick(18)) {
        case 0: return both([](auto& x, auto& y, auto&) { return x + y; });
        case 1: return both([](auto& x, auto& y, auto&) { return x - y; });
        case 2: return both([](auto& x, auto& y, auto&) { return x * y; });
        case 3: return both([&](auto& x, auto&, auto&) { return k - x; });
        case 4: return both([](auto& x, auto& y, auto&) { return pv::minimum(x, y); });
        case 5: return both([](auto& x, auto& y, auto&) { return pv::maximum(x, y); });
        case 6: return both([](auto& x, auto& y, auto& z) { return pv::where(x < y, z, y); });
        case 7: return both([](auto& x, auto&, auto&) { return pv::sq(x); });
        case 8:
            if constexpr (std::floating_point<T>)
                return both([](auto& x, auto& y, auto&) { return x / y; });
            else
                return both([&](auto& x, auto&, auto&) { return x / k; });
        case 9:
            if constexpr (std::floating_point<T>)
                return both([](auto& x, auto&, auto&) { return pv::sqrt(pv::abs(x)); });
            else
                return both([](auto& x, auto& y, auto&) { return x ^ y; });
        case 10: return both([&](auto& x, auto&, auto&) { return x % k; });
        case 11:
            if constexpr (std::floating_point<T>)
                return both([](auto& x, auto& y, auto&) { return pv::floor(x) + pv::rint(y); });
            else
                return both([](auto& x, auto&, auto&) { return x >> T(3); });
        case 12:
        case 13: return shape.empty() ? a : gathered(shape, a);
        case 14: return shape.empty() ? a : pieces(shape, a, b);
        case 15: { // a computed square, transposed
            if (shape.size() != 2 || shape[0] != shape[1]) return a;
            return a.viewed([](const Dimensions& x) { return dims::transpose(x, Extents{1, 0}); });
        }
        case 16: {
            Extents by(shape.size());
            for (index_t& n : by) n = pick(7) - 3;
            return a.viewed([&](const Dimensions& x) { return dims::rotate(x, by); });
        }
        default: return both([](auto& x, auto&, auto&) { return -x; });
        }
    }
    /// Elements at computed indexes along an axis, negative ones among them.
    template <typename T>
    Twins<T> gathered(const Extents& shape, const Twins<T>& a) {
        const auto along = index(pick(std::ssize(shape)));
        const Twins<index_t> at = leaf<index_t>(shape);
        pv::GatherAxes axes;
        for (std::size_t i = 0; i < shape.size(); ++i)
            axes.push_back(i == along ? pv::GatherAxis::at(0)
                                      : pv::GatherAxis::along(static_cast<index_t>(i)));
        const auto of = [&](const Tensor<T>& x, const Tensor<index_t>& i) {
            const Operand indexes[] = {Tensor<index_t>(i % shape[along]).operand()};
            return Tensor<T>(
                pv::gather_operand("take", x.operand(), axes, indexes, pv::ShapeSpan(shape)));
        };
        return {of(a.host, at.host), of(a.there, at.there)};
    }
    /// The beginning of one, and behind it the beginning of another.
    template <typename T>
    Twins<T> pieces(const Extents& shape, const Twins<T>& a, const Twins<T>& b) {
        const index_t axis = pick(std::ssize(shape)), n = shape[index(axis)], cut = pick(n + 1);
        const auto first = [&](const Tensor<T>& x, index_t count) {
            return Operand{x.operand().node,
                           dims::select(x.operand().dims, axis, pv::range(0, count))};
        };
        const auto of = [&](const Tensor<T>& x, const Tensor<T>& y) {
            return Tensor<T>(
                pv::concat_operand("concat", {first(x, cut), first(y, n - cut)}, axis));
        };
        return {of(a.host, b.host), of(a.there, b.there)};
    }

    gpu::Device device_;
    std::mt19937_64 random_;
};

} // namespace gpu_tests
