#pragma once

#include <support/random_source.hpp>
#include <support/random_view.hpp>
#include <support/wrapping.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace oracle {

/// A random view of a tensor that can be written, and a table that says which element of the root each element of the
/// view is.
template <typename T>
struct WritableView {
    pv::MutableTensor<T> root;
    std::vector<T> model; ///< what the root holds, in row-major order
    pv::MutableTensor<T> view;
    Oracle<index_t> positions; ///< in the model, of the view's elements
    std::string name;
};

template <typename T>
pv::MutableTensor<T> writable_source(Random& random, const Coordinates& shape,
                                     const std::vector<T>& values) {
    const index_t n = count_of(shape);
    const auto filled = [&](const pv::MutableTensor<T>& root) {
        std::copy(values.begin(), values.end(), root.begin());
        return root;
    };
    switch (random.between(0, std::is_trivially_copyable_v<T> ? 6 : 5)) {
    case 0: return pv::tensor(std::vector<T>(values), shape);
    case 1: return filled(pv::empty<T>(shape, pv::Order::column_major));
    case 2: {
        Coordinates size = shape;
        for (index_t& extent : size) extent += random.between(0, 2);
        return filled(pv::padded<T>(shape, size));
    }
    case 3: return pv::tensor(std::make_shared<UserWriter<T>>(values), shape);
    case 4: {
        auto memory = std::make_shared<std::vector<T>>(values.rbegin(), values.rend());
        Coordinates strides(shape.size());
        index_t stride = -1;
        for (std::size_t a = shape.size(); a-- > 0; stride *= shape[a]) strides[a] = stride;
        T* const last = n > 0 ? memory->data() + (n - 1) : memory->data();
        return pv::wrap(last, shape, strides, memory);
    }
    case 5: {
        pv::ChunkGrid grid{pv::to_shape(shape), {}};
        for (const index_t extent : shape) grid.chunk.push_back(random.between(1, extent + 1));
        return filled(pv::tensor(
            std::make_shared<StoredChunks<T>>(std::move(grid), random.element<T>()), shape));
    }
    default: {
        auto bytes = std::make_shared<std::vector<std::byte>>(1 + values.size() * sizeof(T));
        return filled(pv::wrap(reinterpret_cast<T*>(bytes->data() + 1), shape, bytes));
    }
    }
}

template <typename T>
WritableView<T> random_writable_view(Random& random) {
    const Coordinates shape = random.shape();
    std::vector<T> values = random.elements<T>(count_of(shape));
    pv::MutableTensor<T> root = writable_source<T>(random, shape, values);
    index_t next = 0;
    auto positions = Oracle<index_t>::make(shape, [&](const Coordinates&) { return next++; });
    WritableView<T> result{root, std::move(values), root, std::move(positions), text(shape)};
    const index_t steps = random.between(0, 4);
    for (index_t i = 0; i < steps; ++i)
        random_view(random, result.view, result.positions, result.name);
    return result;
}

// Each is compiled once, in random_cases.cpp.
extern template WritableView<std::int16_t> random_writable_view(Random&);
extern template WritableView<double> random_writable_view(Random&);
extern template WritableView<std::string> random_writable_view(Random&);

/// Sets the model as writes to the view would, one after the other.
template <typename T>
void set(WritableView<T>& w, const std::vector<T>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        w.model[static_cast<std::size_t>(w.positions.values[i])] = values[i];
}

template <typename T>
std::vector<T> current(const WritableView<T>& w) {
    std::vector<T> values;
    for (const index_t position : w.positions.values)
        values.push_back(w.model[static_cast<std::size_t>(position)]);
    return values;
}

} // namespace oracle
