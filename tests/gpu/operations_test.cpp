// Every operation of every type on a device, beside the host. What gives one type is one kernel: it computes all of them, and chooses
// by a number beside each element.
#include "gpu/same_bits.hpp"

#include <purview/expression/elementwise.hpp>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {
using namespace gpu_tests;
using pv::DType;
using pv::kDType;
using pv::Op;
using pv::Operand;

/// An operand on the host, and a copy on a device.
template <typename T>
struct Both {
    pv::MutableTensor<T> host, there;
    Both(const pv::MutableTensor<T>& h, const gpu::Device& d)
        : host(h), there(gpu::to_device(h, d)) {}
    Operand operand(bool is_there) const { return is_there ? there.operand() : host.operand(); }
};

/// Elements again and again, once for each operation.
template <typename T>
Both<T> repeated(const pv::MutableTensor<T>& line, std::size_t count, const gpu::Device& d) {
    return Both<T>(pv::clone(pv::tile(line, {static_cast<index_t>(count)})), d);
}

/// 0 for the first line, 1 for the second, …
Both<int> line_numbers(std::size_t lines, index_t length, const gpu::Device& d) {
    const auto n = pv::empty<int>({static_cast<index_t>(lines) * length});
    for (index_t i = 0; i < n.size(); ++i) n.data()[i] = static_cast<int>(i / length);
    return Both<int>(n, d);
}

/// Operation `line` of elements in that line, as one expression.
Operand chosen(const std::vector<Operand>& all, const pv::MutableTensor<int>& line) {
    Operand result = all.back();
    const pv::DType dtype = result.dtype();
    for (std::size_t i = all.size() - 1; i-- > 0;)
        result = pv::elementwise<3>(
            Op::choose, dtype,
            {(line == static_cast<int>(i)).operand(), all[i], std::move(result)});
    return result;
}

template <typename T>
bool is_defined(const pv::OperationTraits& traits) {
    constexpr bool kIsBool = std::same_as<T, bool>, kIsFloat = std::floating_point<T>;
    switch (traits.operands) {
    case pv::OperandTypes::built_in: return true;
    case pv::OperandTypes::numbers: return !kIsBool;
    case pv::OperandTypes::floats: return kIsFloat;
    case pv::OperandTypes::integers: return !kIsBool && !kIsFloat;
    case pv::OperandTypes::bools: return kIsBool;
    case pv::OperandTypes::integers_and_bools: return !kIsFloat;
    }
    return false;
}
bool is_within_two_ulp(Op op) { return pv::is_transcendental(op) && op != Op::ieee_remainder; }

constexpr index_t kLength = 1000;

/// All operations of T, of elements with all that is special among them. Bools of comparisons become numbers.
template <typename T>
void check_operations(const gpu::Device& d) {
    std::vector<Op> ops;
    for (const auto& traits : pv::kOperations)
        if (traits.family != pv::OperationFamily::conversion && traits.op != Op::map &&
            is_defined<T>(traits))
            ops.push_back(traits.op);
    const auto x = repeated(edge_numbers<T>(kLength, 1), ops.size(), d);
    const auto y = repeated(edge_numbers<T>(kLength, 2), ops.size(), d);
    const auto c = repeated(edge_numbers<bool>(kLength, 3), ops.size(), d);
    const auto line = line_numbers(ops.size(), kLength, d);

    const auto made = [&](Op op, bool there) {
        const DType type = kDType<T>;
        const Operand a = x.operand(there);
        Operand b = y.operand(there);
        // Divisions by zero are errors of integers: below.
        if (std::integral<T> && (op == Op::divide || op == Op::remainder))
            b = pv::binary_operand(Op::bit_or, b, pv::full({}, T(1)).operand(), type, type);
        if (op == Op::choose) return pv::elementwise<3>(op, type, {c.operand(there), a, b});
        if (pv::is_comparison(op))
            return pv::cast_operand(pv::elementwise<2>(op, pv::boolean, {a, b}), type,
                                    Op::wrapping_cast);
        if (pv::traits_of(op).arity == 2) return pv::elementwise<2>(op, type, {a, b});
        return pv::elementwise<1>(op, type, {a});
    };
    std::vector<Operand> all;
    for (const Op op : ops) all.push_back(made(op, true));
    const auto found = gpu::to_host(pv::Tensor<T>(chosen(all, line.there)));
    for (std::size_t i = 0; i < ops.size(); ++i) {
        INFO(pv::name_of(ops[i]) << " of " << kDType<T>.name());
        const auto part =
            pv::range(static_cast<index_t>(i) * kLength, static_cast<index_t>(i + 1) * kLength);
        const auto expected = pv::clone(pv::Tensor<T>(made(ops[i], false))(part));
        CHECK(difference(pv::clone(found(part)), expected, is_within_two_ulp(ops[i]) ? 2 : 0) ==
              "");
    }
}

TEST_CASE("operations of integers and bools have the host's bits") {
    on_every_computing_device([](const gpu::Device& d) {
        check_operations<bool>(d);
        check_operations<std::int8_t>(d);
        check_operations<std::int16_t>(d);
        check_operations<std::int32_t>(d);
        check_operations<std::int64_t>(d);
        check_operations<std::uint8_t>(d);
        check_operations<std::uint16_t>(d);
        check_operations<std::uint32_t>(d);
        check_operations<std::uint64_t>(d);
    });
}

TEST_CASE("operations of floats have the host's bits, functions within 2 units") {
    on_every_computing_device([](const gpu::Device& d) {
        check_operations<float>(d);
        check_operations<double>(d);
    });
}

using AllTypes =
    std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
               std::uint16_t, std::uint32_t, std::uint64_t, float, double, pv::Half, pv::BFloat16>;
constexpr std::size_t kTypes = std::tuple_size_v<AllTypes>;

template <typename F>
void for_each_type(F f) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (f.template operator()<std::tuple_element_t<i, AllTypes>>(), ...);
    }
    (std::make_index_sequence<kTypes>());
}

/// Elements of all types on the host and on a device, and the number of the type beside each.
struct Casts {
    std::vector<Operand> host, there;
    pv::MutableTensor<int> line, line_there;

    template <typename Make>
    Casts(const gpu::Device& d, Make make, index_t length)
        : line(line_numbers(kTypes, length, d).host), line_there(gpu::to_device(line, d)) {
        for_each_type([&]<typename T>() {
            const auto x = repeated(make.template operator()<T>(), kTypes, d);
            host.push_back(x.operand(false));
            there.push_back(x.operand(true));
        });
    }
    Operand all(bool is_there, DType to, Op op) const {
        std::vector<Operand> casts;
        for (const Operand& x : is_there ? there : host)
            casts.push_back(pv::cast_operand(x, to, op));
        return chosen(casts, is_there ? line_there : line);
    }
    template <typename R>
    void check_same(Op op, index_t length) const {
        const auto found = gpu::to_host(pv::Tensor<R>(all(true, kDType<R>, op)));
        for (std::size_t i = 0; i < kTypes; ++i) {
            INFO("from " << host[i].dtype().name());
            const auto part =
                pv::range(static_cast<index_t>(i) * length, static_cast<index_t>(i + 1) * length);
            const pv::Tensor<R> expected(pv::cast_operand(host[i], kDType<R>, op));
            CHECK(difference(pv::clone(found(part)), pv::clone(expected(part))) == "");
        }
    }
};

TEST_CASE("unchecked casts from every type to every type have the host's bits") {
    on_every_computing_device([](const gpu::Device& d) {
        const Casts casts(
            d, []<typename T>() { return edge_numbers<T>(kLength, 4); }, kLength);
        for_each_type([&]<typename R>() {
            INFO("to " << kDType<R>.name());
            casts.check_same<R>(Op::wrapping_cast, kLength);
        });
    });
}

/// Something that does not fit into R, if T has it.
template <typename T, typename R>
bool misfit(T& value) {
    if constexpr (std::same_as<T, bool> || std::same_as<R, bool> || kIsHalf<T> || kIsHalf<R>)
        return false;
    else if constexpr (std::floating_point<T>) {
        value = std::floating_point<R> ? T(1e300) : T(-1e19);
        return !std::floating_point<R> || (sizeof(R) < sizeof(T));
    } else if constexpr (std::floating_point<R>)
        return false;
    else {
        value = std::numeric_limits<T>::max();
        if (!std::in_range<R>(value)) return true;
        value = std::numeric_limits<T>::lowest();
        return !std::in_range<R>(value);
    }
}

TEST_CASE("checked casts have the host's bits, and its errors") {
    on_every_computing_device([](const gpu::Device& d) {
        const Casts casts(
            d,
            []<typename T>() { // what fits into all of them
                const auto x = pv::empty<T>({100});
                for (index_t i = 0; i < 100; ++i)
                    x.data()[i] = std::same_as<T, bool>    ? T(i % 2 != 0)
                                  : std::floating_point<T> ? T(static_cast<float>(i) + 0.75f)
                                                           : T(static_cast<float>(i));
                return x;
            },
            100);
        for_each_type([&]<typename R>() {
            INFO("to " << kDType<R>.name());
            const pv::Tensor<R> there(casts.all(true, kDType<R>, Op::cast)),
                here(casts.all(false, kDType<R>, Op::cast));
            casts.check_same<R>(Op::cast, 100);
            if constexpr (kIsHalf<R>) return; // what is too large becomes infinite
            std::size_t i = 0;
            for_each_type([&]<typename T>() {
                const std::size_t from = i++;
                T value{};
                if (!misfit<T, R>(value)) return;
                INFO("from " << kDType<T>.name());
                const pv::MutableTensor<T> host(casts.host[from]), device(casts.there[from]);
                const auto before = pv::clone(host);
                const auto at = static_cast<index_t>(from) * 100 + 37;
                host(at) = value, host(at + 5) = value;
                pv::copy(host, device);
                const std::string said = error_text([&] { pv::clone(here); });
                CHECK(said != "");
                CHECK_THROWS_AS(gpu::to_host(there), pv::CastError);
                CHECK(error_text([&] { gpu::to_host(there); }) == said);
                pv::copy(before, host);
                pv::copy(before, device);
            });
        });
    });
}

template <typename T>
void check_divisions(const gpu::Device& d) {
    const auto h = edge_numbers<T>(kLength, 5);
    const auto x = gpu::to_device(h, d);
    const auto of = [](const auto& q) { return q / (q | T(1)) + q % (q & T(7)); };
    const std::string said = error_text([&] { pv::clone(of(h)); });
    CHECK(said != "");
    CHECK_THROWS_AS(gpu::to_host(of(x)), pv::ArithmeticError);
    CHECK(error_text([&] { gpu::to_host(of(x)); }) == said);
}

TEST_CASE("integers divided by zero are the host's errors") {
    on_every_computing_device([](const gpu::Device& d) {
        check_divisions<std::int8_t>(d);
        check_divisions<std::int16_t>(d);
        check_divisions<std::int32_t>(d);
        check_divisions<std::int64_t>(d);
        check_divisions<std::uint8_t>(d);
        check_divisions<std::uint16_t>(d);
        check_divisions<std::uint32_t>(d);
        check_divisions<std::uint64_t>(d);
    });
}

TEST_CASE("floats of 16 bits are computed with as on the host") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto check = [&]<typename H>(H) {
            const auto h = edge_numbers<H>(kLength, 6), g = edge_numbers<H>(kLength, 7);
            const auto x = gpu::to_device(h, d), y = gpu::to_device(g, d);
            const auto of = [](const auto& p, const auto& q) {
                return pv::where(p < q, pv::sqrt(pv::abs(p)) * q - p / 3,
                                 pv::maximum(p, q) + pv::floor(p));
            };
            CHECK(difference(gpu::to_host(of(x, y)), pv::clone(of(h, g))) == "");
            CHECK(difference(gpu::to_host(pv::clone(x)(pv::range(999, {}, -1))),
                             pv::clone(h(pv::range(999, {}, -1)))) == "");
        };
        check(pv::Half{});
        check(pv::BFloat16{});
    });
}

} // namespace
