#include <support/catch.hpp>

#include <purview/chrono.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <complex>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace library_functions_test {

// Functions of the library are known by name; only the user's are opaque.

namespace {

namespace pv = purview;
using namespace std::chrono_literals;
using namespace std::chrono;
using pv::Op;
using pv::Operand;
using Names = std::set<std::string>;
using Complex = std::complex<double>;

/// Adds the names of the functions below a node. One without a name is "opaque".
void add_names(const pv::Node& node, Names& names) {
    if (node.kind() != pv::NodeKind::elementwise) return;
    const auto& operation = static_cast<const pv::Elementwise&>(node);
    if (operation.op() == Op::map) {
        const pv::LibraryFunction* const function = pv::library_function(operation);
        names.emplace(function == nullptr || function->name().empty() ? "opaque"
                                                                      : function->name());
    }
    for (const pv::Input& input : operation.inputs()) add_names(*input.node, names);
}
Names names_in(const Operand& x) {
    Names names;
    add_names(*x.node, names);
    return names;
}
template <typename X>
Names names_in(const X& x) {
    if constexpr (pv::HasDims<X>)
        return names_in(pv::dim_operand(x).operand);
    else
        return names_in(x.operand());
}

/// The same elements as a reader that is not in memory, so that nothing is a view of them.
template <typename T>
pv::Tensor<T> out_of_memory(const std::vector<T>& values) {
    const auto size = static_cast<pv::index_t>(values.size());
    return pv::compute_tensor(
        {size}, [values](pv::index_t i) { return values[static_cast<std::size_t>(i)]; });
}

struct Point {
    double x = 0;
    std::int32_t n = 0;
    friend bool operator==(const Point&, const Point&) = default;
    friend Point operator+(const Point& a, const Point& b) { return {a.x + b.x, a.n + b.n}; }
    friend Point operator-(const Point& a) { return {-a.x, -a.n}; }
};

std::string text(const auto& computation) {
    std::ostringstream out;
    out << computation;
    return out.str();
}
std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

} // namespace

TEST_CASE("complex functions are named") {
    const auto z = out_of_memory<Complex>({{1, 2}, {3, -4}});
    const auto x = out_of_memory<double>({1, 2});
    const auto parts = [&](const auto& of) { return names_in(pv::AnyTensor(of)); };
    CHECK(parts(z + z) == Names{"add"});
    CHECK(parts(z - z) == Names{"subtract"});
    CHECK(parts(z * z) == Names{"multiply"});
    CHECK(parts(z / z) == Names{"divide"});
    CHECK(parts(z * x) == Names{"complex", "multiply"});
    CHECK(parts(z / x) == Names{"complex", "divide"});
    CHECK(parts(z * 2.0) == Names{"multiply"});
    CHECK(parts(x + Complex(0, 1)) == Names{"add", "complex"});
    CHECK(parts(-z) == Names{"negative"});
    CHECK(parts(pv::sq(z)) == Names{"multiply"});
    CHECK(parts(pv::abs(z)) == Names{"abs"});
    CHECK(parts(pv::conj(z)) == Names{"conj"});
    CHECK(parts(pv::real(z)) == Names{"real"});
    CHECK(parts(pv::imag(z)) == Names{"imag"});
    CHECK(parts(pv::angle(z)) == Names{"imag", "real"});
    CHECK(parts(pv::exp(z)) == Names{"complex", "imag", "real"});
    CHECK(parts(z == z) == Names{"imag", "real"});
    CHECK(parts(pv::sqrt(z)) == Names{"sqrt"});
    CHECK(parts(pv::tanh(z)) == Names{"tanh"});
    CHECK(parts(pv::pow(z, z)) == Names{"pow"});
    CHECK(parts(pv::signbit(x)) == Names{"signbit"});
    CHECK(parts(pv::copysign(x, x + x)) == Names{"copysign"});
    const auto whole = out_of_memory<std::int64_t>({1, 2});
    CHECK(parts(pv::integer_pow(whole, whole)) == Names{"integer_pow"});
    CHECK(parts(pv::AnyTensor(z) * pv::AnyTensor(x)) == Names{"complex", "multiply"});
    CHECK(parts(pv::cast<std::complex<float>>(z)) == Names{"complex", "imag", "real"});
    const auto wide = out_of_memory<std::complex<long double>>({{1, 2}});
    CHECK(parts(pv::conj(wide)) == Names{"conj"});
    CHECK(parts(pv::real(wide)) == Names{"real"});
    CHECK(parts(wide * wide) == Names{"multiply"});
    std::ostringstream plan;
    plan << pv::explain(pv::exp(z) * z);
    CHECK(count(plan.str(), "= multiply %1 %2 -> complex128") == 1);
    CHECK(count(plan.str(), "emap") == 0);
}

TEST_CASE("functions of times are named") {
    const auto t =
        out_of_memory<sys_seconds>({sys_days(2020y / 2 / 29), sys_days(1969y / 12 / 31)});
    const auto fine = out_of_memory<sys_time<nanoseconds>>({sys_days(2020y / 2 / 29)});
    const auto field = [&](const std::string& name, const auto& of) {
        CHECK(names_in(of) == Names{"ticks", name});
    };
    field("year_of", pv::year_of(t));
    field("quarter_of", pv::quarter_of(t));
    field("month_of", pv::month_of(t));
    field("day_of", pv::day_of(t));
    field("day_of_year", pv::day_of_year(t));
    field("day_of_week", pv::day_of_week(t));
    field("iso_week_of", pv::iso_week_of(t));
    field("iso_year_of", pv::iso_year_of(t));
    field("hour_of", pv::hour_of(t));
    field("minute_of", pv::minute_of(t));
    field("second_of", pv::second_of(t));
    field("millisecond_of", pv::millisecond_of(fine));
    field("microsecond_of", pv::microsecond_of(fine));
    field("nanosecond_of", pv::nanosecond_of(fine));
    field("epoch", pv::epoch<months>(t));
    field("floor_quotient", pv::epoch<days>(t));
    field("scaled_ticks", pv::epoch<milliseconds>(t));
    CHECK(names_in(pv::ticks(t)) == Names{"ticks"});
    CHECK(names_in(pv::is_nat(t)) == Names{"ticks"});
    CHECK(names_in(pv::from_ticks<seconds>(out_of_memory<std::int64_t>({1}))) ==
          Names{"from_ticks"});
    const auto made = [&](const std::string& name, const auto& of) {
        CHECK(names_in(of) == Names{"from_ticks", "ticks", name});
    };
    made("floor_time", pv::floor_time<months>(t));
    made("ceil_time", pv::ceil_time<years>(t));
    made("round_time", pv::round_time<months>(t));
    made("floor_quotient", pv::floor_time<days>(t));
    made("ceil_quotient", pv::ceil_time<days>(t));
    made("round_quotient", pv::round_time<days>(t));
    made("floor_time", pv::month_start(t));
    made("week_start", pv::week_start(t));
    made("plus_months", pv::plus_months(t, 1));
    made("scaled_ticks", t + 1ms);
    field("between", pv::between<months>(t, t));
    field("units_between", pv::between<days>(t, t));
    const auto n = out_of_memory<std::int32_t>({2, 3});
    CHECK(names_in(pv::dates(n, n, n)) == Names{"dates", "from_ticks"});
    CHECK(names_in(pv::format_times(t)) == Names{"format_times"});
    CHECK(names_in(pv::parse_times<sys_seconds>(pv::format_times(t))) ==
          Names{"format_times", "from_ticks", "parse_times"});
#if PURVIEW_HAS_TIME_ZONES
    const auto local = pv::to_zone(t, "Europe/Berlin");
    CHECK(names_in(local) == Names{"to_zone"});
    CHECK(names_in(pv::from_zone(local, "Europe/Berlin", choose::earliest)) ==
          Names{"from_zone", "to_zone"});
#endif
}

TEST_CASE("functions of strings, structs and others are named") {
    const auto words = pv::to_text(out_of_memory<double>({1, 2.5}));
    CHECK(names_in(words) == Names{"to_text"});
    const auto check = [&](const std::string& name, const auto& of) {
        CHECK(names_in(of) == Names{"to_text", name});
    };
    check("to_lower", pv::to_lower(words));
    check("to_upper", pv::to_upper(words));
    check("trim", pv::trim(words));
    check("text_length", pv::text_length(words));
    check("contains", pv::contains(words, "1"));
    check("starts_with", pv::starts_with(words, words));
    check("ends_with", pv::ends_with(words, "1"));
    check("find_text", pv::find_text(words, "1"));
    check("substring", pv::substring(words, 0, 1));
    check("replace_all", pv::replace_all(words, "1", "2"));
    check("parse", pv::parse<int>(words));
    check("add", words + "!");
    check("equal", words == words);
    check("less", words < "2");
    check("where", pv::where(out_of_memory<double>({1, 2}) > 1, words, "no"));

    const auto points = out_of_memory<Point>({{1, 2}, {3, 4}});
    CHECK(names_in(points + points) == Names{"add"});
    CHECK(names_in(-points) == Names{"negative"});
    CHECK(names_in(pv::column(points, &Point::x)) == Names{"column"});
    const auto x = out_of_memory<double>({1, 2});
    CHECK(names_in(pv::structs<Point>(x, 1)) == Names{"structs"});
    CHECK(names_in(pv::get_significand(x)) == Names{"get_significand"});
    CHECK(names_in(pv::small_vectors<2>(pv::stack(std::vector{x, x}, -1))) ==
          Names{"small_vectors"});
    CHECK(names_in(pv::emap([](double v) { return v; }, x)) == Names{"opaque"});
}

TEST_CASE("functions are equal by name, parameters and types") {
    const auto words = pv::to_text(out_of_memory<double>({1, 2.5}));
    const auto same = [](const auto& a, const auto& b) {
        return pv::are_same_operation(static_cast<const pv::Elementwise&>(*a.operand().node),
                                      static_cast<const pv::Elementwise&>(*b.operand().node));
    };
    CHECK(same(pv::substring(words, 0, 1), pv::substring(words, 0, 1)));
    CHECK_FALSE(same(pv::substring(words, 0, 1), pv::substring(words, 0, 2)));
    CHECK(same(pv::contains(words, "a"), pv::contains(words, "a")));
    CHECK_FALSE(same(pv::contains(words, "a"), pv::contains(words, "b")));
    CHECK_FALSE(same(pv::replace_all(words, "a", "bc"), pv::replace_all(words, "ab", "c")));
    CHECK_FALSE(same(pv::to_lower(words), pv::to_upper(words)));
    const auto points = out_of_memory<Point>({{1, 2}, {3, 4}});
    CHECK(same(pv::column(points, &Point::n), pv::column(points, &Point::n)));
    CHECK_FALSE(same(pv::column(points, &Point::x), pv::column(points, &Point::n)));
    const auto z = out_of_memory<Complex>({{1, 2}, {3, -4}});
    CHECK(same(z * z, z * z));
    CHECK_FALSE(same(z * z, z * 2.0)); // part by part
    const auto t = out_of_memory<sys_seconds>({sys_days(2020y / 2 / 29)});
    const auto fine = out_of_memory<sys_time<milliseconds>>({sys_days(2020y / 2 / 29)});
    CHECK(same(pv::month_of(t), pv::month_of(t)));
    CHECK_FALSE(same(pv::month_of(t), pv::day_of(t)));
    CHECK_FALSE(same(pv::month_of(t), pv::month_of(fine)));
    CHECK_FALSE(same(pv::hour_of(t), pv::hour_of(fine)));
    CHECK_FALSE(same(pv::epoch<months>(t), pv::epoch<years>(t)));
    const auto users = [](double v) { return v; };
    const auto x = out_of_memory<double>({1, 2});
    CHECK_FALSE(same(pv::emap(users, x), pv::emap(users, x)));
}

TEST_CASE("a computation computes equal functions once") {
    const auto z = pv::tensor({Complex(1, 2), Complex(3, -4)});
    const auto lazy = out_of_memory<Complex>({{1, 2}, {3, -4}});
    const auto times =
        out_of_memory<sys_seconds>({sys_days(2020y / 2 / 29), sys_days(1969y / 12 / 31)});
    const auto s = pv::tensor({2.0, 3.0});
    const auto twice = [&](const auto& f, const std::string& part, std::size_t parts = 1) {
        const auto c = pv::computation([&](auto x) { return f(x) + f(x); }, pv::spec<double>({2}));
        INFO(text(c));
        CHECK(count(text(c), part) == parts);
        CHECK(pv::to_vector(c(s)) == pv::to_vector(f(s) + f(s)));
    };
    twice([&](auto x) { return pv::real(z) * x; }, "multiply"); // a leaf that views the memory
    twice([&](auto x) { return pv::real(lazy) * x; }, "multiply");
    twice([&](auto x) { return pv::real(lazy) * x; }, "real");
    twice([&](auto x) { return pv::real(lazy * x); }, "complex128", 3);
    twice([&](auto x) { return pv::year_of(times) * x; }, "year_of");
    twice([&](auto x) { return pv::abs(z * x); }, "abs");
    const auto different = pv::computation(
        [&](auto x) { return pv::real(z) * x + pv::imag(z) * x; }, pv::spec<double>({2}));
    CHECK(count(text(different), "multiply") == 2);
    CHECK(pv::to_vector(different(s)) == std::vector{6.0, -3.0});
    const auto turned = pv::computation(
        [&](auto x) {
            const auto words = pv::to_text(x);
            return pv::stack({pv::starts_with(words, "12"), pv::starts_with("12", words),
                              words < "5", "5" < words});
        },
        pv::spec<std::int64_t>({3}));
    CHECK(pv::to_vector(turned(pv::tensor<std::int64_t>({1, 12, 123}))) ==
          std::vector<bool>{false, true, true, true, true, false, true, true, true, false, false,
                            false});
    const auto opaque = pv::computation(
        [&](auto x) {
            const auto f = [](double v) { return v; };
            return pv::emap(f, x) + pv::emap(f, x);
        },
        pv::spec<double>({2}));
    CHECK(count(text(opaque), "emap") == 2);
}

} // namespace library_functions_test
