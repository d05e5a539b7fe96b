#include "layer_walker.hpp"

#include <algorithm>
#include <cstddef>

namespace purview::inline v0_1::dimensions {

LayerWalker::LayerWalker(const LayerView& layer) : base_(layer.base) {
    axes_.reserve(layer.extents.size());
    for (int a = 0; a < layer.rank(); ++a) {
        const auto i = static_cast<std::size_t>(a);
        Axis axis{};
        axis.extent = layer.extents[i];
        axis.stride = layer.strides[i];
        axis.map = layer.is_plain(a) ? nullptr : &layer.maps[i];
        if (axis.map != nullptr && axis.map->table != nullptr)
            axis.entries = axis.map->table->data();
        if (axis.map != nullptr && axis.map->period != 0)
            axis.u_wrap = multiply_mod(axis.map->step, axis.extent, axis.map->period);
        axes_.push_back(axis);
    }
}

void LayerWalker::Axis::place(index_t coordinate) {
    g = coordinate;
    u = map == nullptr ? g : map->before_table(g);
    address = share(u);
}

void LayerWalker::Axis::add(index_t amount, index_t u_amount) {
    g += amount;
    if (map == nullptr) {
        u = g;
    } else if (map->period == 0) {
        u += amount;
    } else {
        u = wrapped(u + u_amount);
    }
}

void LayerWalker::set_step(index_t step) {
    step_ = step;
    moving_ = -1;
    single_axis_moves_ = true;
    const bool backwards = step < 0;
    // Negated as unsigned, so that no step overflows.
    auto rest = static_cast<std::uint64_t>(step);
    if (backwards) rest = 0 - rest;
    for (std::size_t a = axes_.size(); a-- > 0;) {
        Axis& axis = axes_[a];
        const auto extent = static_cast<std::uint64_t>(axis.extent);
        index_t digit = 0;
        if (rest >= extent) {
            digit = static_cast<index_t>(rest % extent);
            rest /= extent;
        } else {
            digit = static_cast<index_t>(rest);
            rest = 0;
        }
        axis.digit = backwards ? -digit : digit;
        if (digit == 0) continue;
        if (axis.map != nullptr && axis.map->period != 0)
            axis.u_digit = centred_mod(multiply_mod(axis.map->step, axis.digit, axis.map->period),
                                       axis.map->period);
        if (moving_ < 0)
            moving_ = static_cast<int>(a);
        else
            single_axis_moves_ = false;
    }
}

void LayerWalker::start(index_t index, index_t step) {
    if (step != step_) set_step(step);
    address_ = base_;
    for (std::size_t a = axes_.size(); a-- > 0;) {
        Axis& axis = axes_[a];
        if (a == 0 || index < axis.extent) {
            axis.place(index);
            index = 0;
        } else {
            const index_t above = index / axis.extent;
            axis.place(index - above * axis.extent);
            index = above;
        }
        address_ += axis.address;
    }
}

index_t LayerWalker::steps_before_carry(const Axis& axis) const {
    const index_t q = axis.digit;
    if (q > 0) return (q == 1 ? axis.extent - 1 - axis.g : (axis.extent - 1 - axis.g) / q) + 1;
    return (q == -1 ? axis.g : axis.g / -q) + 1;
}

// Adds the carry, and the digits of the step, to the axes before `axis`.
void LayerWalker::carry_into(int axis, index_t carry) {
    for (int a = axis - 1; a >= 0; --a) {
        if (carry == 0 && single_axis_moves_) return;
        Axis& other = axes_[static_cast<std::size_t>(a)];
        index_t amount = other.digit;
        if (amount != 0) other.add(amount, other.u_digit);
        if (carry != 0) {
            const bool periodic = other.map != nullptr && other.map->period != 0;
            other.add(carry, periodic ? carry * other.map->step : 0);
            amount += carry;
        }
        carry = 0;
        if (other.g >= other.extent) {
            other.add(-other.extent, -other.u_wrap);
            carry = 1;
        } else if (other.g < 0) {
            other.add(other.extent, other.u_wrap);
            carry = -1;
        }
        if (amount == 0) continue;
        const index_t address = other.share(other.u);
        address_ += address - other.address;
        other.address = address;
    }
}

Run LayerWalker::next(index_t most) {
    Run run{address_, 0, most};
    if (moving_ < 0) return run; // the same element repeatedly
    Axis& axis = axes_[static_cast<std::size_t>(moving_)];
    const index_t q = axis.digit;
    run.length = single_axis_moves_ ? std::min(most, steps_before_carry(axis)) : 1;
    if (axis.map == nullptr) {
        run.step = axis.stride * q;
        axis.g += q * run.length;
        axis.u = axis.g;
    } else if (axis.map->table != nullptr) {
        // As far as the entries of the list are an arithmetic progression.
        index_t length = 1;
        index_t last = axis.address;
        axis.add(q, axis.u_digit);
        while (length < run.length) {
            const index_t address = axis.share(axis.u);
            if (length == 1) {
                run.step = address - last;
            } else if (address - last != run.step) {
                break;
            }
            last = address;
            ++length;
            axis.add(q, axis.u_digit);
        }
        run.length = length;
    } else {
        const index_t s = axis.u_digit;
        if (s != 0) {
            const index_t room = s > 0 ? axis.map->period - 1 - axis.u : axis.u;
            const index_t size = s > 0 ? s : -s;
            const index_t before_wrap = (room < size ? 0 : size == 1 ? room : room / size) + 1;
            run.length = std::min(run.length, before_wrap);
        }
        run.step = axis.stride * s;
        axis.g += q * run.length;
        axis.u = axis.wrapped(axis.u + s * run.length);
    }
    carry_out_of(axis);
    return run;
}

bool LayerWalker::follows_list() const noexcept {
    if (moving_ < 0 || !single_axis_moves_) return false;
    const Axis& axis = axes_[static_cast<std::size_t>(moving_)];
    return axis.digit == 1 && axis.entries != nullptr && axis.map->period == 0;
}

index_t LayerWalker::read_list(index_t most, index_t* out) {
    Axis& axis = axes_[static_cast<std::size_t>(moving_)];
    const index_t length = std::min(most, axis.extent - axis.g);
    const index_t before = address_ - axis.address;
    const index_t scale = axis.map->scale;
    const index_t* const entries = axis.entries + scale * axis.u + axis.map->offset;
    if (scale == 1)
        for (index_t i = 0; i < length; ++i) out[i] = before + axis.stride * entries[i];
    else
        for (index_t i = 0; i < length; ++i) out[i] = before + axis.stride * entries[i * scale];
    axis.g += length;
    axis.u = axis.g;
    carry_out_of(axis);
    return length;
}

/// Carries into the next axis if the axis that moved has come to its end.
void LayerWalker::carry_out_of(Axis& axis) {
    index_t carry = 0;
    if (axis.g >= axis.extent) {
        axis.add(-axis.extent, -axis.u_wrap);
        carry = 1;
    } else if (axis.g < 0) {
        axis.add(axis.extent, axis.u_wrap);
        carry = -1;
    }
    // After the very last element, the odometer has wrapped around to valid coordinates.
    const index_t address = axis.share(axis.u);
    address_ += address - axis.address;
    axis.address = address;
    carry_into(moving_, carry);
}

} // namespace purview::dimensions
