#pragma once

#include <support/random_choice.hpp>
#include <support/stored_chunks.hpp>
#include <support/temporary.hpp>

#include <purview/reader/mapped_file.hpp>
#include <purview/tensor/compute.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/wrap.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace oracle {

namespace pv = purview;

/// A tensor and its naive twin.
template <typename T>
struct Twin {
    pv::Tensor<T> real;
    Oracle<T> naive;
    std::string name;
};

/// What a user writes: a size, and how to read one element.
template <typename T>
class UserReader final : public pv::Reader<T> {
public:
    explicit UserReader(std::vector<T> values) : values_(std::move(values)) {}
    index_t size() const override { return std::ssize(values_); }
    T read(index_t i) const override { return values_.at(static_cast<std::size_t>(i)); }

private:
    std::vector<T> values_;
};

/// The same, and how to write one.
template <typename T>
class UserWriter final : public pv::Reader<T>, public pv::Writer<T> {
public:
    explicit UserWriter(std::vector<T> values) : values_(std::move(values)) {}
    index_t size() const override { return std::ssize(values_); }
    T read(index_t i) const override { return values_.at(static_cast<std::size_t>(i)); }
    void write(index_t i, const T& value) override {
        values_.at(static_cast<std::size_t>(i)) = value;
    }

private:
    std::vector<T> values_;
};

/// Elements in a mapped file, one byte off their alignment or not.
template <typename T>
class MappedElements {
public:
    explicit MappedElements(unsigned seed)
        : values(Random(seed).elements<T>(20'000)),
          file_(bytes_of(values)),
          mapped_(file_.path()) {}

    const std::vector<T> values;

    pv::ConstBufferPtr<T> buffer(index_t begin, index_t count) const {
        return pv::mapped_const_buffer<T>(mapped_, 1 + begin * index_t{sizeof(T)}, count);
    }

private:
    static std::string bytes_of(const std::vector<T>& values) {
        std::string bytes(1 + values.size() * sizeof(T), '\0');
        std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(T));
        return bytes;
    }

    temporary::File file_;
    pv::MappedFile mapped_;
};

/// Something to start from, of a given shape.
template <typename T>
Twin<T> random_source(Random& random, const Coordinates& shape) {
    const index_t n = count_of(shape);
    Oracle<T> naive{shape, random.elements<T>(n)};
    const auto named = [&](const char* name, pv::Tensor<T> real) {
        return Twin<T>{std::move(real), naive, name + text(shape)};
    };
    const auto filled = [&](const pv::MutableTensor<T>& real) {
        std::copy(naive.values.begin(), naive.values.end(), real.begin());
        return real;
    };
    switch (random.between(0, std::is_trivially_copyable_v<T> ? 11 : 9)) {
    case 0: return named("vector", pv::tensor(std::vector<T>(naive.values), shape));
    case 1: return named("column major", filled(pv::empty<T>(shape, pv::Order::column_major)));
    case 2: {
        Coordinates size = shape;
        for (index_t& extent : size) extent += random.between(0, 2);
        return named("padded", filled(pv::padded<T>(shape, size)));
    }
    case 3: { // foreign, laid out backwards and in another order of axes
        auto memory = std::make_shared<std::vector<T>>(naive.values.rbegin(), naive.values.rend());
        Coordinates strides(shape.size());
        index_t stride = -1;
        for (std::size_t a = shape.size(); a-- > 0; stride *= shape[a]) strides[a] = stride;
        const T* const last = n > 0 ? memory->data() + (n - 1) : memory->data();
        return named("backwards", pv::wrap(last, shape, strides, memory));
    }
    case 4: { // foreign, with whatever strides
        Coordinates strides(shape.size());
        index_t lowest = 0;
        index_t highest = 0;
        for (std::size_t a = 0; a < shape.size(); ++a) {
            strides[a] = random.between(-5, 5);
            (strides[a] < 0 ? lowest : highest) += strides[a] * std::max<index_t>(shape[a] - 1, 0);
        }
        auto memory =
            std::make_shared<std::vector<T>>(random.elements<T>(n == 0 ? 0 : highest - lowest + 1));
        naive = Oracle<T>::make(shape, [&](const Coordinates& g) {
            index_t address = -lowest;
            for (std::size_t a = 0; a < g.size(); ++a) address += g[a] * strides[a];
            return (*memory)[static_cast<std::size_t>(address)];
        });
        const T* const origin = n == 0 ? memory->data() : memory->data() - lowest;
        return named("strided", pv::wrap(origin, shape, strides, memory));
    }
    case 5: {
        const auto values = std::make_shared<const Oracle<T>>(naive);
        return named("computed", pv::compute_tensor(shape, [values](pv::ShapeSpan at) -> T {
                         return values->at(Coordinates(at.begin(), at.end()));
                     }));
    }
    case 6: {
        const T value = random.element<T>();
        naive.values.assign(static_cast<std::size_t>(n), value);
        return named("constant", pv::const_tensor(value, shape));
    }
    case 7:
        return named("reader",
                     pv::tensor(std::make_shared<const UserReader<T>>(naive.values), shape));
    case 8:
        return named("writer", pv::tensor(std::make_shared<UserWriter<T>>(naive.values), shape));
    case 9: {
        pv::ChunkGrid grid{pv::to_shape(shape), {}};
        for (const index_t extent : shape) grid.chunk.push_back(random.between(1, extent + 1));
        const auto chunks = std::make_shared<StoredChunks<T>>(std::move(grid), random.element<T>());
        for (index_t i = 0; i < n; ++i) chunks->write(i, naive.values[static_cast<std::size_t>(i)]);
        return named("chunks", pv::tensor(chunks, shape));
    }
    default:
        if constexpr (std::is_trivially_copyable_v<T>) {
            if (random.one_in(2)) {
                static const MappedElements<T> mapped(17);
                const index_t begin = random.between(0, std::ssize(mapped.values) - n);
                std::copy_n(mapped.values.begin() + begin, n, naive.values.begin());
                return named("mapped", pv::tensor(mapped.buffer(begin, n), shape));
            }
            auto bytes = std::make_shared<std::vector<std::byte>>(1 + static_cast<std::size_t>(n) *
                                                                          sizeof(T));
            index_t at = 1;
            for (const T value : naive.values) {
                std::memcpy(bytes->data() + at, &value, sizeof(T));
                at += index_t{sizeof(T)};
            }
            return named("misaligned",
                         pv::wrap(reinterpret_cast<const T*>(bytes->data() + 1), shape, bytes));
        }
        throw std::logic_error("random_source");
    }
}

// Each is compiled once, in random_cases.cpp.
extern template Twin<std::int16_t> random_source(Random&, const Coordinates&);
extern template Twin<std::int32_t> random_source(Random&, const Coordinates&);
extern template Twin<std::int64_t> random_source(Random&, const Coordinates&);
extern template Twin<std::uint8_t> random_source(Random&, const Coordinates&);
extern template Twin<float> random_source(Random&, const Coordinates&);
extern template Twin<double> random_source(Random&, const Coordinates&);
extern template Twin<std::string> random_source(Random&, const Coordinates&);

} // namespace oracle
