#pragma once

#include <support/random_choice.hpp>

#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace oracle {

namespace pv = purview;

/// Applies one random view to a tensor and to its naive twin, and adds its name.
template <pv::TensorLike X, typename T>
class ViewStep {
public:
    ViewStep(Random& random, X& real, Oracle<T>& naive, std::string& name)
        : random_(random), real_(real), naive_(naive), name_(name) {}

    void apply() {
        while (!propose()) {}
    }

private:
    bool propose() {
        const std::size_t rank = naive_.rank();
        switch (random_.between(0, 13)) {
        case 0: {
            const Coordinates axes = random_.permutation(rank);
            return done("transpose" + text(axes), pv::transpose(real_, axes),
                        naive_.transpose(axes));
        }
        case 1: {
            if (rank == 0) return false;
            const auto a = static_cast<index_t>(random_.axis_of(naive_.shape));
            const auto b = static_cast<index_t>(random_.axis_of(naive_.shape));
            Coordinates axes = identity(rank);
            if (random_.one_in(2)) {
                std::swap(axes[static_cast<std::size_t>(a)], axes[static_cast<std::size_t>(b)]);
                return done("swap_axes" + text({a, b}), pv::swap_axes(real_, a, b),
                            naive_.transpose(axes));
            }
            axes.erase(axes.begin() + a);
            axes.insert(axes.begin() + b, a);
            return done("move_axis" + text({a, b}),
                        pv::move_axis(real_, a - static_cast<index_t>(rank), b),
                        naive_.transpose(axes));
        }
        case 2:
        case 3:
        case 4: return select();
        case 5: {
            Coordinates amounts(rank);
            for (index_t& amount : amounts)
                amount = random_.one_in(2) ? random_.between(-12, 12) : 0;
            return done("rotate" + text(amounts), real_ | pv::rotate(amounts),
                        naive_.rotate(amounts));
        }
        case 6: return reshape();
        case 7: {
            Coordinates axes;
            for (std::size_t a = 0; a < rank; ++a)
                if (random_.one_in(2)) axes.push_back(static_cast<index_t>(a));
            return done("flip" + text(axes), pv::flip(real_, axes), naive_.flip(axes));
        }
        case 8: return done("squeeze", real_ | pv::squeeze, naive_.squeeze());
        case 9: {
            if (rank >= 7) return false;
            const index_t axis = random_.between(0, static_cast<index_t>(rank));
            return done("insert_axis " + std::to_string(axis), pv::insert_axis(real_, axis),
                        naive_.insert_axis(static_cast<std::size_t>(axis)));
        }
        case 10: {
            if (rank < 2 || random_.one_in(2)) return false;
            const std::size_t a = random_.axis_of(naive_.shape);
            const std::size_t b = random_.axis_of(naive_.shape);
            if (a == b) return false;
            const index_t offset = random_.between(-2, 2);
            const auto axis0 = static_cast<index_t>(a);
            const auto axis1 = static_cast<index_t>(b);
            return done("diagonal" + text({axis0, axis1, offset}),
                        pv::diagonal(real_, offset, axis0, axis1), naive_.diagonal(a, b, offset));
        }
        case 11: return whole_mask();
        case 12: return broadcast();
        default: return sliding_window();
        }
    }

    static Coordinates identity(std::size_t rank) {
        Coordinates axes(rank);
        std::iota(axes.begin(), axes.end(), index_t{0});
        return axes;
    }

    bool done(const std::string& name, X real, Oracle<T> naive) {
        name_ += " | " + name;
        real_ = std::move(real);
        naive_ = std::move(naive);
        return true;
    }

    bool reshape() {
        index_t rest = naive_.size();
        Coordinates to;
        if (rest == 0) {
            to = naive_.shape;
            random_.shuffle(to);
        } else {
            while (rest > 1 && to.size() < 5) {
                index_t factor = random_.between(1, rest);
                while (rest % factor != 0) --factor;
                to.push_back(factor);
                rest /= factor;
            }
            to.push_back(rest);
            random_.shuffle(to);
        }
        Coordinates asked = to;
        if (!asked.empty() && naive_.size() != 0 && random_.one_in(3))
            asked[random_.axis_of(asked)] = -1;
        return done("reshape" + text(asked), pv::reshape(real_, asked), naive_.reshape(to));
    }

    bool broadcast() {
        if constexpr (std::same_as<pv::ReadOnly<X>, X>) {
            Coordinates to = naive_.shape;
            index_t left = random_.limit() / std::max<index_t>(naive_.size(), 1);
            for (index_t& extent : to) {
                const index_t times = random_.one_in(2) ? random_.between(1, 3) : 1;
                if (times > left || extent == 0) continue;
                extent *= times;
                left /= times;
            }
            if (to.size() < 7 && left >= 2 && random_.one_in(4)) to.insert(to.begin(), 2);
            return done("broadcast" + text(to), pv::broadcast(real_, to), naive_.tile(to));
        } else {
            return false;
        }
    }

    bool sliding_window() {
        if constexpr (std::same_as<pv::ReadOnly<X>, X>) {
            if (naive_.rank() == 0 || naive_.rank() >= 7) return false;
            const std::size_t axis = random_.axis_of(naive_.shape);
            if (naive_.shape[axis] == 0) return false;
            const index_t window = random_.between(1, std::min<index_t>(naive_.shape[axis], 3));
            const index_t step = random_.between(1, 3);
            if (naive_.size() * window > random_.limit()) return false;
            return done("sliding_window" + text({static_cast<index_t>(axis), window, step}),
                        pv::sliding_window(real_, static_cast<index_t>(axis), window, step),
                        naive_.sliding_window(axis, window, step));
        } else {
            return false;
        }
    }

    /// A mask of the whole shape, which selects into one axis.
    bool whole_mask() {
        if (naive_.rank() == 0 || !random_.one_in(3)) return false;
        std::vector<bool> mask = random_.mask(naive_.size());
        Coordinates list;
        for (std::size_t i = 0; i < mask.size(); ++i)
            if (mask[i]) list.push_back(static_cast<index_t>(i));
        pv::MutableTensor<bool> index = pv::empty<bool>(naive_.shape);
        std::size_t next = 0;
        for_each(naive_.shape, [&](const Coordinates&) {
            index.begin()[static_cast<index_t>(next)] = mask[next];
            ++next;
        });
        const std::array<pv::TensorIndex, 1> arguments{pv::TensorIndex(index)};
        return done("whole mask" + text(list), X(pv::select_operand(real_.operand(), arguments)),
                    naive_.reshape({naive_.size()}).pick(0, list));
    }

    bool select() {
        const auto rank = static_cast<index_t>(naive_.rank());
        const index_t before = random_.between(0, rank);
        const index_t after = random_.one_in(2) ? random_.between(0, rank - before) : -1;
        std::vector<pv::TensorIndex> arguments;
        std::string name = "select(";
        Oracle<T> result = naive_;
        std::size_t out = 0;
        const auto named = [&](index_t axis) {
            if (random_.one_in(9) && result.rank() < 7) {
                arguments.emplace_back(pv::new_axis);
                name += "new_axis ";
                result = result.insert_axis(out++);
            }
            argument(naive_.shape[static_cast<std::size_t>(axis)], arguments, name, result, out);
        };
        for (index_t a = 0; a < before; ++a) named(a);
        if (after >= 0) {
            arguments.emplace_back(pv::ellipsis);
            name += "... ";
            out += static_cast<std::size_t>(rank - before - after);
            for (index_t a = rank - after; a < rank; ++a) named(a);
        }
        return done(
            name + ")",
            X(pv::select_operand(real_.operand(), std::span<const pv::TensorIndex>(arguments))),
            std::move(result));
    }

    void argument(index_t extent, std::vector<pv::TensorIndex>& arguments, std::string& name,
                  Oracle<T>& result, std::size_t& out) {
        switch (random_.between(0, 7)) {
        case 0:
            if (extent > 0 && (extent == 1 || random_.one_in(2))) {
                const index_t index = random_.between(-extent, extent - 1);
                arguments.emplace_back(static_cast<int>(index));
                name += std::to_string(index) + " ";
                result = result.drop(out, index < 0 ? index + extent : index);
                return;
            }
            [[fallthrough]];
        case 1: {
            index_t step = random_.between(-3, 3);
            if (step == 0) step = 1;
            index_t begin = random_.between(-extent - 2, extent + 2);
            index_t end = random_.between(-extent - 2, extent + 2);
            if (!random_.one_in(12)) { // mostly something is left
                begin = step > 0 ? random_.between(0, extent / 3)
                                 : random_.between(extent - extent / 3, extent);
                end = step > 0 ? random_.between(extent - extent / 3, extent)
                               : random_.between(-extent - 1, -extent);
            }
            arguments.emplace_back(pv::range(begin, end, step));
            name += std::to_string(begin) + ":" + std::to_string(end) + ":" + std::to_string(step) +
                    " ";
            result = result.pick(out++, slice_indexes(extent, begin, end, step));
            return;
        }
        case 2: {
            Coordinates list = random_.list(extent);
            if (result.size() * std::ssize(list) > random_.limit() * std::max<index_t>(extent, 1) &&
                !list.empty())
                list.resize(1);
            Coordinates asked = list;
            for (index_t& index : asked)
                if (random_.one_in(4)) index -= extent;
            if (random_.one_in(3))
                arguments.emplace_back(pv::make_index_sequence(asked));
            else if (random_.one_in(2))
                arguments.emplace_back(pv::tensor(std::vector<index_t>(asked)));
            else
                arguments.emplace_back(std::vector<int>(asked.begin(), asked.end()));
            name += text(asked) + " ";
            result = result.pick(out++, list);
            return;
        }
        case 3: {
            const std::vector<bool> mask = random_.mask(extent);
            Coordinates list;
            for (std::size_t i = 0; i < mask.size(); ++i)
                if (mask[i]) list.push_back(static_cast<index_t>(i));
            if (random_.one_in(2))
                arguments.emplace_back(pv::tensor(mask));
            else
                arguments.emplace_back(mask);
            name += "mask" + text(list) + " ";
            result = result.pick(out++, list);
            return;
        }
        default:
            arguments.emplace_back(pv::all);
            name += "all ";
            ++out;
        }
    }

    Random& random_;
    X& real_;
    Oracle<T>& naive_;
    std::string& name_;
};

// Each is compiled once, in random_cases.cpp.
extern template class ViewStep<pv::Tensor<std::int16_t>, std::int16_t>;
extern template class ViewStep<pv::Tensor<std::int32_t>, std::int32_t>;
extern template class ViewStep<pv::Tensor<std::int64_t>, std::int64_t>;
extern template class ViewStep<pv::Tensor<std::uint8_t>, std::uint8_t>;
extern template class ViewStep<pv::Tensor<float>, float>;
extern template class ViewStep<pv::Tensor<double>, double>;
extern template class ViewStep<pv::Tensor<std::string>, std::string>;
extern template class ViewStep<pv::MutableTensor<std::int16_t>, index_t>;
extern template class ViewStep<pv::MutableTensor<double>, index_t>;
extern template class ViewStep<pv::MutableTensor<std::string>, index_t>;

template <pv::TensorLike X, typename T>
void random_view(Random& random, X& real, Oracle<T>& naive, std::string& name) {
    ViewStep<X, T>(random, real, naive, name).apply();
}

} // namespace oracle
