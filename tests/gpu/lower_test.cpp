#include <kernels/launch.hpp>
#include <kernels/text.hpp>

#include <support/catch.hpp>

#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/progression.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pv = purview;
namespace gd = purview::gpu::detail;

namespace lower_test {
namespace {

using pv::index_t;
using pv::Operand;

/// Elements that are nowhere: lowering reads none.
template <typename T>
class NoElements final : public pv::Reader<T> {
public:
    explicit NoElements(index_t size) : size_(size) {}
    index_t size() const override { return size_; }
    T read(index_t) const override { throw pv::DeviceError("an element was read"); }

private:
    index_t size_;
};

/// Takes what has no memory for elements on the device.
class Elsewhere final : public gd::Places {
public:
    bool find(const pv::AnyReader& reader, gd::Place& place) const override {
        if (reader.memory()) return false;
        place.handle = reinterpret_cast<std::uintptr_t>(&reader);
        place.bytes = static_cast<std::size_t>(reader.size() * reader.dtype().size_bytes());
        return true;
    }
};

template <typename T>
pv::Tensor<T> on_device(const pv::Shape& shape) {
    const auto dims = pv::Dimensions::row_major(shape);
    return pv::Tensor<T>(
        Operand{pv::make_node<pv::Leaf>(std::make_shared<const NoElements<T>>(dims.size())), dims});
}

gd::Lowered lowered(const Operand& x, gd::LowerOptions options = {}) {
    gd::Lowered result;
    gd::ResultPlace to;
    to.dims = pv::Dimensions::row_major(x.dims.max_shape());
    to.place.handle = 1;
    gd::lower(result, x, to, Elsewhere(), options);
    return result;
}
std::string key_of(const Operand& x) {
    std::string key;
    gd::key_of(lowered(x), key);
    return key;
}

TEST_CASE("lower merges the axes of all operands and the destination") {
    const auto x = on_device<float>({6, 7, 8});
    CHECK(lowered((x + x * 2).operand()).extents == std::vector<index_t>{6 * 7 * 8});
    CHECK(lowered((x + 1).operand()).form == gd::Form::linear);

    const auto row = on_device<float>({8});
    CHECK(lowered((x - row).operand()).extents == std::vector<index_t>{42, 8});
    CHECK(lowered((x + on_device<float>({6, 1, 1})).operand()).extents ==
          std::vector<index_t>{6, 56});

    // A destination that is transposed decides the order of the axes.
    gd::Lowered turned;
    gd::ResultPlace to;
    to.dims = pv::Dimensions::column_major(x.shape());
    gd::lower(turned, pv::transpose(on_device<float>({8, 7, 6})).operand(), to, Elsewhere());
    CHECK(turned.extents == std::vector<index_t>{336});
    CHECK(turned.form == gd::Form::linear);
}

TEST_CASE("lower chooses the form by how operands lie") {
    const auto square = on_device<float>({600, 600});
    CHECK(lowered((square + pv::transpose(square)).operand()).form == gd::Form::tiled);
    CHECK(lowered((square - on_device<float>({600})).operand()).form == gd::Form::rows);
    CHECK(lowered((on_device<float>({7, 5}) - on_device<float>({5})).operand()).form ==
          gd::Form::general);
    const auto big = lowered((on_device<float>({1 << 20}) + 1).operand());
    CHECK(big.vector == 4);
    CHECK(lowered((on_device<double>({1 << 20}) + on_device<float>({1 << 20})).operand()).vector ==
          2);
}

TEST_CASE("indexes have 64 bits where 32 are too few, or are asked for") {
    CHECK_FALSE(lowered((on_device<float>({1 << 20}) + 1).operand()).wide);
    CHECK(lowered((on_device<std::int8_t>({index_t{1} << 31}) + std::int8_t{1}).operand()).wide);
    gd::LowerOptions wide;
    wide.wide = true;
    CHECK(lowered((on_device<float>({9}) + 1).operand(), wide).wide);
}

TEST_CASE("the key of a kernel holds structure, and neither constants, extents nor strides") {
    const auto key = [](const pv::Shape& shape, float factor, index_t by) {
        const auto x = on_device<float>(shape);
        const auto rotated = pv::Tensor<float>(
            Operand{x.operand().node,
                    pv::dimensions::rotate(x.operand().dims, std::vector<index_t>{by, 0})});
        return key_of((x * factor + rotated).operand());
    };
    CHECK(key({20, 30}, 2, 1) == key({25, 36}, 5, 7));
    const auto x = on_device<float>({20});
    CHECK(key_of((x + 1).operand()) != key_of((x - 1).operand()));
    CHECK(key_of((x + 1).operand()) != key_of((on_device<double>({20}) + 1).operand()));
}

TEST_CASE("an argument for each parameter, constants and hosts' elements among them") {
    const auto x = on_device<float>({20});
    const gd::Lowered low = lowered((x * 2.5f + pv::clone(pv::full<float>({}, 7))).operand());
    gd::Launch launch;
    gd::launch_of(low, 0, launch);
    const std::string text = gd::source_of(low, gd::Dialect::cuda);
    const auto begin = text.find("KERNEL purview_kernel(");
    REQUIRE(begin != std::string::npos);
    const std::string declared = text.substr(begin, text.find(')', begin + 22) - begin);
    CHECK(static_cast<std::size_t>(std::count(declared.begin(), declared.end(), ',')) + 1 ==
          launch.arguments.size());
    CHECK(low.constants.size() == 2);
    CHECK(launch.groups == 1);
}

TEST_CASE("every operation has a text in both dialects, for every type") {
    const auto check = [&]<typename T>(T) {
        const auto x = on_device<T>({50}).operand();
        const auto c = on_device<bool>({50}).operand();
        for (const pv::OperationTraits& traits : pv::kOperations) {
            using enum pv::OperandTypes;
            constexpr bool kBool = std::is_same_v<T, bool>;
            constexpr bool kFloat = std::is_floating_point_v<T>;
            const pv::OperandTypes types = traits.operands;
            if (traits.op == pv::Op::map || (types == numbers && kBool) ||
                (types == floats && !kFloat) || (types == integers && (kBool || kFloat)) ||
                (types == bools && !kBool) || (types == integers_and_bools && kFloat))
                continue;
            std::vector<Operand> operands{x};
            if (traits.op == pv::Op::choose)
                operands = {c, x, x};
            else if (traits.arity == 2)
                operands = {x, x};
            const bool compares = pv::is_comparison(traits.op);
            const pv::DType result = compares ? pv::boolean : pv::kDType<T>;
            const Operand y{pv::elementwise_node(traits.op, result, operands), x.dims};
            for (const gd::Dialect dialect : {gd::Dialect::cuda, gd::Dialect::opencl})
                CHECK(gd::source_of(lowered(y), dialect).size() >
                      gd::with_prelude(dialect, "").size() + 100);
        }
    };
#define LOWER_TEST_CHECK(T) check(T{});
    PURVIEW_FOR_BUILTIN_TYPES(LOWER_TEST_CHECK)
#undef LOWER_TEST_CHECK
}

TEST_CASE("where float32 is not divided with correct rounding, float64 is") {
    const auto x = on_device<float>({50});
    gd::LowerOptions options;
    options.rounds = false;
    const gd::Lowered low = lowered((x / x).operand(), options);
    CHECK(gd::source_of(low, gd::Dialect::opencl).find("(f64)v0 / (f64)v0") != std::string::npos);
}

TEST_CASE("what may be an error is checked") {
    const auto x = on_device<std::int32_t>({50});
    CHECK(lowered((x / x).operand()).checked);
    CHECK(lowered(pv::cast<std::int8_t>(x).operand()).checked);
    CHECK_FALSE(lowered(pv::cast<std::int64_t>(x).operand()).checked);
    CHECK(lowered(pv::take(x, on_device<index_t>({9}), 0).operand()).checked);
}

TEST_CASE("a progression is a formula, and an index list a table") {
    const auto x = on_device<index_t>({50});
    const gd::Lowered low =
        lowered((x + pv::Tensor<index_t>(pv::progression_operand(3, 52))).operand());
    REQUIRE(low.uses.size() == 3);
    CHECK(low.uses[2].source == gd::Use::formula);

    const std::vector<index_t> list{5, 3, 8};
    const gd::Lowered listed = lowered((x(list) + 1).operand());
    gd::Launch launch;
    gd::launch_of(listed, 0, launch);
    REQUIRE(launch.tables.size() == 1);
    CHECK(launch.tables[0].list->at(2) == 8);
}

TEST_CASE("what is too much for one kernel is cut") {
    const auto x = on_device<float>({50});
    pv::Tensor<float> y = x;
    for (int i = 0; i < 300; ++i) y = y + x;
    CHECK(lowered(y.operand()).cut != nullptr);
    pv::Tensor<float> sums = x;
    for (int i = 0; i < 60; ++i) sums = sums + on_device<float>({50});
    CHECK(lowered(sums.operand()).cut != nullptr);
    CHECK(lowered((x + 1).operand()).cut == nullptr);
    // Each view of a node computes it again.
    pv::Tensor<float> rotated = x;
    for (int i = 0; i < 8; ++i)
        rotated = rotated +
                  pv::Tensor<float>(Operand{
                      rotated.operand().node,
                      pv::dimensions::rotate(rotated.operand().dims, std::vector<index_t>{i + 1})});
    CHECK(lowered(rotated.operand()).cut != nullptr);
}

TEST_CASE("what has no form on a device, and mixed places, are errors that say so") {
    const auto message = [](const Operand& x) -> std::string {
        try {
            lowered(x);
        } catch (const pv::DeviceError& e) {
            return e.what();
        }
        return "";
    };
    const auto x = on_device<float>({3, 4});
    const pv::Tensor<float> host = pv::clone(pv::full<float>({4}, 1));
    CHECK(message((x + host).operand()) ==
          "clone: mixed places: an operand of shape [4] of float32 lies in the host's memory, an "
          "operand of shape [3 4] of float32 on the device: to_device(x) or to_host(x) first");
    CHECK(message(pv::emap([](float v) { return v; }, x).operand()) ==
          "clone: emap has no form on a device: to_host(x) first");
    CHECK(message(on_device<std::complex<double>>({3}).operand()).find("complex128") !=
          std::string::npos);
}

TEST_CASE("float64 is refused for devices that have none") {
    gd::LowerOptions options;
    options.float64 = false;
    const auto x = on_device<float>({3});
    const auto message = [&](const Operand& operand) -> std::string {
        try {
            lowered(operand, options);
        } catch (const pv::DeviceError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(message((x * 2.f + 1.f).operand()) == "");
    CHECK(message((pv::cast<double>(x) * 2.0).operand()) ==
          "clone: the device has no float64: cast to float32");
    CHECK(message(on_device<double>({3}).operand()) != "");
}

} // namespace
} // namespace lower_test
