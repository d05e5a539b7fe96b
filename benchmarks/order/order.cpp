/// What orders data beyond the memory limit, for run.py beside, one case at a time:
///     bench_order run CASE LIMIT PROBE PATH…     the time of a case; writes what its result is probed with as .npy
///     bench_order copy PATH NEW                  all of an array read and written, and nothing else
/// A path is a folder in Zarr's format. Prints one object of JSON.

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include "../chunks/measured.hpp"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace pv = purview;
using pv::index_t;
using namespace measured;

namespace {

constexpr int kThreads = 2;

/// The arrays of a case.
struct Files {
    std::span<const std::string> paths;

    pv::AnyTensor any(std::size_t i) const { return pv::open_zarr(paths[i]); }
    pv::Tensor<double> numbers(std::size_t i = 0) const { return any(i).as<double>(); }
    pv::Tensor<std::int64_t> keys(std::size_t i) const { return any(i).as<std::int64_t>(); }
    pv::Tensor<float> floats(std::size_t i = 0) const { return any(i).as<float>(); }
};

/// What is known of a result, so that those of others can be compared with it.
using Probe = pv::Tensor<double>;

/// 1000 elements of a list, evenly apart.
template <typename X>
Probe some(const X& x) {
    std::vector<double> found;
    const index_t size = x.size();
    for (index_t i = 0; i < 1000; ++i)
        found.push_back(static_cast<double>(x(i * (size - 1) / 999)));
    return pv::tensor(found);
}

Probe list(std::vector<double> values) { return pv::tensor(std::move(values)); }

std::function<Probe()> groups(const Files& files) {
    return
        [made = pv::group_by_reduce(files.keys(0), files.numbers(1), pv::sum, pv::mean, pv::max)] {
            const auto& [keys, sums, means, most] = made;
            return list(
                {static_cast<double>(keys.size()), pv::sum(sums), pv::sum(means), pv::sum(most)});
        };
}

Probe joined(const pv::JoinedRows& rows) {
    return list({static_cast<double>(rows.left.size()), static_cast<double>(pv::sum(rows.left)),
                 static_cast<double>(pv::sum(rows.right))});
}

/// Gives the function that probes the result, whose time is not that of the case.
using Case = std::function<std::function<Probe()>(const Files&)>;

template <typename Result>
std::function<Probe()> probed(Result result, Probe (*probe)(const Result&)) {
    return [result, probe] { return probe(result); };
}
template <typename X>
std::function<Probe()> probed(X list) {
    return probed<X>(std::move(list), some<X>);
}
std::function<Probe()> known(Probe probe) {
    return [probe] { return probe; };
}

const std::vector<double> kQuantiles{.05, .25, .75, .95, .99};

const std::map<std::string, Case>& cases() {
    static const std::map<std::string, Case> all{
        {"sort", [](const Files& files) { return probed(pv::sort(files.numbers())); }},
        {"argsort", [](const Files& files) { return probed(pv::argsort(files.numbers())); }},
        {"median", [](const Files& files) { return known(list({pv::median(files.numbers())})); }},
        {"quantiles",
         [](const Files& files) {
             return known(pv::clone(pv::quantile(files.numbers(), kQuantiles)));
         }},
        {"median_of_stack",
         [](const Files& files) {
             return probed(pv::reshape(pv::clone(pv::median(files.floats(), {0})), {-1}));
         }},
        {"groups", groups},
        {"join",
         [](const Files& files) {
             return probed<pv::JoinedRows>(pv::join({files.any(0)}, {files.any(1)}), joined);
         }},
        {"join_by_two",
         [](const Files& files) {
             return probed<pv::JoinedRows>(
                 pv::join({files.any(0), files.any(1)}, {files.any(2), files.any(3)}), joined);
         }},
        {"cumsum", [](const Files& files) { return probed(pv::cumsum(files.numbers())); }},
        {"rolling_mean",
         [](const Files& files) {
             return probed(pv::fixed_rolling_window(files.numbers(), 101, pv::mean));
         }},
        {"matmul",
         [](const Files& files) {
             return probed(
                 pv::reshape(pv::clone(pv::matmul(files.floats(0), files.floats(1))), {-1}));
         }},
    };
    return all;
}

void run(const Case& work, const Files& files, index_t limit, const std::string& probe) {
    pv::set_threads(kThreads);
    pv::set_memory_limit(limit);
    forget_peak();
    const index_t at_start = resident("VmRSS");
    const double begin = wall(), before = processor();
    const std::function<Probe()> result = work(files);
    ::sync();
    const double seconds = wall() - begin, of_processor = processor() - before;
    const pv::ChunkStatistics counts = pv::chunk_statistics();
    const index_t above = resident("VmHWM") - at_start;
    std::printf(
        "{\"seconds\": %.4f, \"processor\": %.4f, \"chunks_read\": %lld, \"peak_bytes\": %lld, \"above\": %lld}\n",
        seconds, of_processor, static_cast<long long>(counts.chunks_read),
        static_cast<long long>(counts.peak_bytes), static_cast<long long>(above));
    pv::save_npy(probe, result());
}

void copy(const std::string& path, const std::string& new_path) {
    pv::set_threads(kThreads);
    pv::set_memory_limit(index_t{64} << 20);
    const pv::StoredArray stored = pv::open_zarr_array(path);
    const double begin = wall(), before = processor();
    pv::save_zarr(new_path, stored.values,
                  {.chunks = stored.chunk_shape, .codecs = {}, .overwrite = true});
    ::sync();
    std::printf("{\"seconds\": %.4f, \"processor\": %.4f}\n", wall() - begin, processor() - before);
}

} // namespace

int main(int count, char** given) {
    try {
        const std::vector<std::string> arguments(given + 1, given + count);
        if (arguments.size() > 4 && arguments[0] == "run") {
            run(cases().at(arguments[1]), {std::span(arguments).subspan(4)},
                std::atoll(arguments[2].c_str()), arguments[3]);
        } else if (arguments.size() == 3 && arguments[0] == "copy") {
            copy(arguments[1], arguments[2]);
        } else {
            throw std::invalid_argument("run or copy: see order.cpp");
        }
    } catch (const std::exception& failure) {
        std::cerr << "bench_order: " << failure.what() << '\n';
        return 1;
    }
}
