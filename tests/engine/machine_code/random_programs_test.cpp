#include "engine/compile/plan.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/machine_code/machine_code.hpp"
#include "engine/reduce/fold_plan.hpp"
#include "engine/run/direct_run.hpp"
#include "engine/run/runner.hpp"

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/purview.hpp>

#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace random_programs_test {

// Machine code computes the bits that threaded code computes.

namespace {

namespace pv = purview;
using namespace pv::engine;
using pv::index_t;

template <typename T>
class RandomProgram {
public:
    explicit RandomProgram(unsigned seed) : random_(seed) {
        size_ = static_cast<index_t>(below(3) == 0 ? 1 + below(3000) : 1 + below(300));
        const std::size_t leaves = 1 + below(below(8) == 0 ? 14 : 4);
        for (std::size_t i = 0; i < leaves; ++i) numbers_.push_back(leaf());
        masks_.push_back(mask_leaf());
    }

    index_t size() const { return size_; }
    const std::string& name() const { return name_; }

    pv::Tensor<T> numbers() {
        for (std::size_t n = 1 + below(below(6) == 0 ? 60 : 10); n > 0; --n) step();
        return numbers_.back();
    }
    pv::Tensor<bool> bools() {
        numbers();
        return comparison();
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }

    T element() {
        if constexpr (std::is_floating_point_v<T>) {
            using L = std::numeric_limits<T>;
            static constexpr T kHard[] = {
                T{0},        T{-0.0},         L::infinity(), -L::infinity(), L::quiet_NaN(),
                T{1},        L::denorm_min(), L::max(),      L::lowest(),    -L::denorm_min(),
                L::min() / 2};
            if (hard_ && below(3) == 0) return kHard[below(std::size(kHard))];
            return static_cast<T>(static_cast<double>(below(2000)) / 7 - 140);
        } else {
            if (hard_ && below(3) == 0)
                return below(2) == 0 ? std::numeric_limits<T>::min()
                                     : std::numeric_limits<T>::max();
            return static_cast<T>(static_cast<int>(below(20)) - 10);
        }
    }
    pv::Tensor<T> leaf() {
        hard_ = below(2) == 0;
        const bool strided = below(10) == 0;
        std::vector<T> elements(static_cast<std::size_t>(strided ? 2 * size_ : size_));
        for (T& x : elements) x = element();
        const pv::Tensor<T> all = pv::tensor(elements);
        return strided ? pv::Tensor<T>(all(pv::range(0, 2 * size_, 2))) : all;
    }
    pv::Tensor<bool> mask_leaf() {
        std::vector<unsigned char> bytes(static_cast<std::size_t>(size_));
        for (auto& x : bytes) x = static_cast<unsigned char>(below(2));
        return pv::Tensor<bool>(pv::tensor(bytes) == static_cast<unsigned char>(1)) | pv::clone;
    }

    pv::Tensor<T> any() {
        const std::size_t n = numbers_.size();
        return below(2) == 0 ? numbers_.back() : numbers_[below(n)];
    }
    pv::Tensor<bool> comparison() {
        const pv::Tensor<T> x = any();
        const bool constant = below(3) == 0;
        const T c = element();
        const auto compared = [&](const auto& y) -> pv::Tensor<bool> {
            switch (below(6)) {
            case 0: name_ += " =="; return x == y;
            case 1: name_ += " !="; return x != y;
            case 2: name_ += " <"; return x < y;
            case 3: name_ += " <="; return x <= y;
            case 4: name_ += " >"; return x > y;
            default: name_ += " >="; return x >= y;
            }
        };
        return constant ? compared(c) : compared(any());
    }
    pv::Tensor<bool> mask() {
        switch (below(6)) {
        case 0: name_ += " &&"; return comparison() && masks_[below(masks_.size())];
        case 1: name_ += " ||"; return comparison() || masks_[below(masks_.size())];
        case 2: name_ += " !"; return !masks_[below(masks_.size())];
        case 3: return masks_[below(masks_.size())];
        default: return comparison();
        }
    }

    void step() {
        hard_ = below(4) == 0;
        const pv::Tensor<T> x = any();
        const T c = element();
        if (below(3) == 0) {
            numbers_.push_back(unary(x));
        } else if (below(6) == 0) {
            name_ += " where";
            const pv::Tensor<bool> m = mask();
            if (below(2) == 0) masks_.push_back(m);
            switch (below(4)) {
            case 0: numbers_.push_back(pv::where(m, x, c)); break;
            case 1: numbers_.push_back(pv::where(m, c, x)); break;
            default: numbers_.push_back(pv::where(m, x, any())); break;
            }
        } else if (below(2) == 0) {
            numbers_.push_back(binary(x, any()));
        } else if (below(2) == 0) {
            numbers_.push_back(binary(x, c));
        } else {
            numbers_.push_back(binary(c, x));
        }
    }
    pv::Tensor<T> unary(const pv::Tensor<T>& x) {
        switch (below(std::is_floating_point_v<T> ? 8 : 3)) {
        case 0: name_ += " -"; return -x;
        case 1: name_ += " abs"; return pv::abs(x);
        case 2: name_ += " sq"; return pv::sq(x);
        default: break;
        }
        if constexpr (std::is_floating_point_v<T>) {
            switch (below(5)) {
            case 0: name_ += " floor"; return pv::floor(x);
            case 1: name_ += " ceil"; return pv::ceil(x);
            case 2: name_ += " rint"; return pv::rint(x);
            case 3: name_ += " trunc"; return pv::trunc(x);
            default: name_ += " sqrt"; return pv::sqrt(x);
            }
        } else {
            return x;
        }
    }
    pv::Tensor<T> binary(const auto& x, const auto& y) {
        switch (below(std::is_floating_point_v<T> ? 6 : 5)) {
        case 0: name_ += " +"; return x + y;
        case 1: name_ += " -"; return x - y;
        case 2: name_ += " *"; return x * y;
        case 3: name_ += " min"; return pv::minimum(x, y);
        case 4: name_ += " max"; return pv::maximum(x, y);
        default:
            name_ += " /";
            if constexpr (std::is_floating_point_v<T>) return x / y;
            return x + y;
        }
    }

    std::mt19937 random_;
    index_t size_ = 0;
    std::string name_;
    std::vector<pv::Tensor<T>> numbers_;
    std::vector<pv::Tensor<bool>> masks_;
    bool hard_ = false;
};

int programs = 0;
int translated = 0;

void count_programs(const Plan& plan) {
    for (const Step& step : plan.steps)
        if (const auto* const tile = std::get_if<TileStep>(&step)) {
            ++programs;
            const bool exists = tile->program.machine_code.exists() ||
                                (tile->tail && tile->tail->machine_code.exists());
            translated += exists;
        }
}

std::vector<std::byte> stored(const pv::AnyTensor& tensor, Translation translation) {
    set_translation(translation);
    const Values values(tensor.operand());
    const Plan plan(values, {});
    const index_t bytes = tensor.dtype().size_bytes();
    std::vector<std::byte> out(static_cast<std::size_t>(plan.size * bytes));
    for (int repeat = 0; repeat < 2; ++repeat) {
        if (is_direct(plan)) {
            DirectRun(plan, places_of(values), plan.size).store(out.data());
        } else {
            Runner runner(plan, values);
            runner.run(
                0, plan.size, kNoLimit,
                [&](index_t begin, index_t) { return out.data() + begin * bytes; }, kNothingAfter);
        }
    }
    if (translation == Translation::at_once) count_programs(plan);
    return out;
}

std::vector<std::byte> folded(const pv::AnyTensor& tensor, pv::Reduction reduction,
                              Translation translation) {
    set_translation(translation);
    const Values values(tensor.operand());
    const FoldKind& kind = fold_kind(reduction, tensor.dtype());
    const Plan plan(values, {Walk::in_order, nullptr, kind.op, kind.neutral});
    std::vector<std::byte> out(static_cast<std::size_t>(tensor.dtype().size_bytes()));
    if (is_direct(plan)) {
        DirectRun direct(plan, places_of(values), plan.size);
        kind.store(fold_part(kind, direct, 0, plan.size), out.data());
        kind.store(fold_part(kind, direct, 0, plan.size), out.data());
    } else {
        Runner runner(plan, values);
        kind.store(fold_part(kind, runner, 0, plan.size), out.data());
    }
    if (translation == Translation::at_once) count_programs(plan);
    return out;
}

std::vector<std::byte> counted(const pv::AnyTensor& tensor, Translation translation) {
    static constexpr std::uint64_t kFalse = 0;
    set_translation(translation);
    const Values values(tensor.operand());
    const Plan plan(values, {Walk::any_order, nullptr, TileOp::count, &kFalse});
    Runner runner(plan, values);
    std::memset(runner.accumulator(), 0, sizeof(std::uint64_t));
    runner.run(
        0, plan.size, kNoLimit, [](index_t, index_t) -> std::byte* { return nullptr; },
        kNothingAfter);
    if (translation == Translation::at_once) count_programs(plan);
    return {runner.accumulator(), runner.accumulator() + sizeof(std::uint64_t)};
}

template <typename T>
void check_equal(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    REQUIRE(a.size() == b.size());
    if (std::memcmp(a.data(), b.data(), a.size()) == 0) return;
    for (std::size_t i = 0; i < a.size(); i += sizeof(T)) {
        T x;
        T y;
        std::memcpy(&x, a.data() + i, sizeof(T));
        std::memcpy(&y, b.data() + i, sizeof(T));
        if (x != x && y != y)
            continue; // of two NaN, compilers choose which one an addition returns
        INFO("element " << i / sizeof(T) << ": " << +x << " and " << +y);
        REQUIRE(std::memcmp(&x, &y, sizeof(T)) == 0);
    }
}

template <typename T>
void check_programs() {
    programs = 0;
    translated = 0;
    for (unsigned seed = 0; seed < oracle::rounds(3000u); ++seed) {
        RandomProgram<T> program(seed);
        const bool of_bools = seed % 8 == 7;
        const pv::AnyTensor tensor =
            of_bools ? pv::AnyTensor(program.bools()) : pv::AnyTensor(program.numbers());
        INFO("seed " << seed << ", " << program.size() << ":" << program.name());
        const auto check = [&](const auto& compute) {
            const auto expected = compute(Translation::never);
            const auto actual = compute(Translation::at_once);
            of_bools ? check_equal<unsigned char>(expected, actual)
                     : check_equal<T>(expected, actual);
        };
        check([&](Translation t) { return stored(tensor, t); });
        if (of_bools) check([&](Translation t) { return counted(tensor, t); });
        for (const pv::Reduction reduction : {pv::Reduction::sum, pv::Reduction::product,
                                              pv::Reduction::minimum, pv::Reduction::maximum}) {
            INFO("reduction " << static_cast<int>(reduction));
            check([&](Translation t) { return folded(tensor, reduction, t); });
        }
    }
    set_translation(Translation::when_worthwhile);
    const bool all = std::string_view(kernels().name) == "avx512";
    if (translates(kernels())) CHECK(translated >= (all ? programs : programs / 20));
}

} // namespace

TEST_CASE("Machine code: floats of 4 bytes") { check_programs<float>(); }
TEST_CASE("Machine code: floats of 8 bytes") { check_programs<double>(); }
TEST_CASE("Machine code: integers") {
    check_programs<std::int32_t>();
    check_programs<std::int64_t>();
    check_programs<std::uint32_t>();
    check_programs<std::uint64_t>();
}

} // namespace random_programs_test
