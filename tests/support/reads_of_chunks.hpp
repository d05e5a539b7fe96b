#pragma once

#include <support/catch.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

/// How often functions read the chunks of operands that are larger than the memory limit, beside what a page says.
namespace reads_of_chunks {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Twins;
using pv::index_t;

constexpr int kChunks = 64;
/// Less has no room for all chunks of a column, and slabs of columns are narrower than a third of a chunk.
constexpr index_t kLimit = 80 << 10;
constexpr index_t kLess = 60 << 10;

/// Arrays of 256 KiB.
struct Given {
    Twins<double> v{{32'768}, {512}, [](index_t i) { return scattered(i, 7919); }};
    Twins<double> w{{32'768}, {512}, [](index_t i) { return scattered(i, 104'729); }};
    Twins<double> sorted{{32'768}, {512}, [](index_t i) { return static_cast<double>(i) / 2; }};
    Twins<double> m{{512, 64}, {32, 16}, [](index_t i) { return scattered(i, 7919); }};
    Twins<double> n{{512, 64}, {32, 16}, [](index_t i) { return scattered(i, 104'729); }};
    Twins<std::int64_t> k{{32'768}, {512}, [](index_t i) { return i * 7919 % 1009; }};
    Twins<std::int64_t> l{{32'768}, {512}, [](index_t i) { return i * 7919 % 65'521; }};

    static double scattered(index_t i, index_t step) {
        return static_cast<double>(i * step % 65'521) / 64;
    }
    auto all() const { return std::tie(v, w, sorted, m, n, k, l); }
    void forget() const {
        std::apply([](const auto&... each) { (each.forget(), ...); }, all());
    }
    /// Of the operand that was read most often, how often a chunk was, rounded up.
    int reads() const {
        const auto most = [](const auto&... each) {
            return std::max({each.stored->reads.load()...});
        };
        return (std::apply(most, all()) + kChunks - 1) / kChunks;
    }
};
using Numbers = const pv::Tensor<double>&;

/// What is said of each name: a number, what a lazy result is read by, whether there are calls that have no room.
using Table = std::map<std::string, std::set<std::string>>;

inline std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> found(1);
    for (const char each : text)
        if (std::isalnum(static_cast<unsigned char>(each)) || each == '_')
            found.back() += each;
        else if (!found.back().empty())
            found.emplace_back();
    if (found.back().empty()) found.pop_back();
    std::erase(found, "pv");
    return found;
}

/// Items "- **how often**: …" with names between backquotes.
inline Table table_of_page(const std::string& path) {
    std::ifstream page(path);
    REQUIRE(page);
    Table table;
    std::string label;
    bool is_code = false;
    bool is_there = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("## ")) is_there = line == "## How often each function reads";
        if (!is_there) continue;
        if (line.starts_with("- **")) label = line.substr(4, line.find("**", 4) - 4);
        if (line.empty()) label.clear();
        std::istringstream parts(line);
        for (std::string part; std::getline(parts, part, '`'); is_code = !is_code)
            if (is_code && !label.empty())
                for (const std::string& name : words(part)) table[name].insert(label);
        is_code = false;
    }
    return table;
}

/// Calls functions, and notes how often they read.
class Measured {
public:
    void call(const std::string& names, const std::function<void(const Given&)>& of,
              index_t limit = kLimit) {
        INFO(names);
        const MemoryLimit limited(limit);
        given_.forget();
        try {
            of(given_);
            note(names, given_.reads());
        } catch (const pv::MemoryLimitError&) {
            note(names, "refused");
        }
    }
    /// The call reads nothing; what reads its result is counted.
    template <typename F>
    void lazy(const std::string& names, F of, bool by_cache = false) {
        INFO(names);
        for (const index_t limit : {kLimit, kLess}) {
            const MemoryLimit limited(limit);
            given_.forget();
            const auto result = of(given_);
            CHECK(given_.reads() == 0);
            if (by_cache) return note(names, "lazy, cache");
            pv::clone(result);
            note(names, given_.reads(), "lazy, ");
        }
    }
    /// Along an axis: of one lane, and of many.
    template <typename F>
    void along(const std::string& names, F of) {
        call(names, [&](const Given& g) { of(g.v.chunks, 0); });
        for (const index_t axis : {0, 1})
            for (const index_t limit : {kLimit, kLess})
                call(
                    names, [&](const Given& g) { of(g.m.chunks, axis); }, limit);
    }
    /// Over everything and over an axis.
    template <typename F>
    void over(const std::string& names, F of) {
        call(names, [&](const Given& g) { of(g.v.chunks); });
        call(names, [&](const Given& g) { of(g.m.chunks); });
        for (const index_t axis : {0, 1})
            for (const index_t limit : {kLimit, kLess})
                call(
                    names, [&](const Given& g) { of(g.m.chunks, axis); }, limit);
    }
    /// Of two operands.
    template <typename F>
    void pair(const std::string& names, F of) {
        call(names, [&](const Given& g) { of(g.v.chunks, g.w.chunks); });
        call(names, [&](const Given& g) { of(g.m.chunks, g.n.chunks); });
    }
    template <typename F>
    void pair_over(const std::string& names, F of) {
        pair(names, of);
        for (const index_t axis : {0, 1})
            call(names, [&](const Given& g) { of(g.m.chunks, g.n.chunks, axis); });
    }

    // Several functions, called alike.
    template <typename... F>
    void all_along(const char* names, F... f) {
        each(
            names,
            [&](const std::string& name, auto of) {
                along(name, [=](Numbers x, index_t axis) { of(x, axis); });
            },
            f...);
    }
    template <typename... F>
    void all_over(const char* names, F... f) {
        each(
            names,
            [&](const std::string& name, auto of) {
                over(name, [=](Numbers x, auto... axis) { of(x, axis...); });
            },
            f...);
    }
    template <typename... F>
    void all_pairs_over(const char* names, F... f) {
        each(
            names,
            [&](const std::string& name, auto of) {
                pair_over(name, [=](Numbers x, Numbers y, auto... axis) { of(x, y, axis...); });
            },
            f...);
    }
    /// Of what `operand` makes of the arrays.
    template <typename Operand, typename... F>
    void all_lazy(Operand operand, const char* names, F... f) {
        each(
            names,
            [&](const std::string& name, auto of) {
                lazy(name, [=](const Given& g) { return std::apply(of, operand(g)); });
            },
            f...);
    }

    const Table& table() const { return table_; }

private:
    template <typename Use, typename... F>
    static void each(const char* names, Use use, F... f) {
        const std::vector<std::string> list = words(names);
        REQUIRE(list.size() == sizeof...(F));
        std::size_t i = 0;
        (use(list[i++], f), ...);
    }
    void note(const std::string& names, const std::string& label) {
        for (const std::string& name : words(names)) table_[name].insert(label);
    }
    /// The greatest number stays.
    void note(const std::string& names, int reads, const std::string& kind = {}) {
        for (const std::string& name : words(names)) {
            int& most = most_[name + kind];
            const auto label = [&] { return kind + std::to_string(most); };
            table_[name].erase(label());
            most = std::max(most, reads);
            table_[name].insert(label());
        }
    }

    Given given_;
    Table table_;
    std::map<std::string, int> most_; ///< of a name and a kind
};

} // namespace reads_of_chunks
