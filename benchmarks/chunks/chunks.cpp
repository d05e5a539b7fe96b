/// Arrays in chunks, for run.py beside: makes their files, and measures one thing at a time.
///     bench_chunks make PATH DTYPE SHAPE CHUNKS SHARDS CODEC     a field of numbers; shapes as 512x512x64, - for none
///     bench_chunks decode ROUNDS PATH                            all chunks read and decoded, and nothing else
///     bench_chunks encode PATH NEW                               those of PATH encoded and stored, and nothing else
///     bench_chunks run CASE LIMIT ROUNDS RESULT CHUNKS PATH…     the least time of so many rounds, each from an empty cache
/// A path is a folder in Zarr's format, or a file `….h5` with an array `x`. Prints one object of JSON.

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/hdf5.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include "measured.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pv = purview;
using pv::index_t;

namespace {

constexpr int kThreads = 2;
using namespace measured;

pv::Shape shape_of(const std::string& text) {
    pv::Shape shape;
    if (text == "-") return shape;
    std::istringstream extents(text);
    for (std::string extent; std::getline(extents, extent, 'x');)
        shape.push_back(std::atoll(extent.c_str()));
    return shape;
}

std::vector<pv::ZarrCodec> codecs_of(const std::string& name) {
    using pv::Shuffle;
    using pv::ZarrCodec;
    if (name == "none") return {};
    if (name == "zstd") return {ZarrCodec::zstd(3)};
    if (name == "gzip") return {ZarrCodec::gzip(5)};
    if (name == "blosc_zstd_bytes") return {ZarrCodec::blosc("zstd", 3, Shuffle::bytes)};
    if (name == "blosc_zstd_bits") return {ZarrCodec::blosc("zstd", 3, Shuffle::bits)};
    if (name == "blosc_lz4_bytes") return {ZarrCodec::blosc("lz4", 5, Shuffle::bytes)};
    if (name == "blosc_lz4_bits") return {ZarrCodec::blosc("lz4", 5, Shuffle::bits)};
    throw std::invalid_argument("no codec is called " + name);
}

/// A smooth field with ten bits of noise, in steps of 1/1024, so that zstd finds something to do.
template <typename T>
T field(index_t i, index_t j, index_t k) {
    auto hash = static_cast<std::uint64_t>((i << 42) ^ (j << 21) ^ k) * 0x9e3779b97f4a7c15U;
    hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9U;
    const auto steps = (i % 64) * 16 + (j % 256) * 4 + k % 128 + static_cast<index_t>(hash >> 54);
    return static_cast<T>(steps) / T{1024};
}

template <typename T>
void make(const std::string& path, const pv::Shape& shape, const pv::ZarrOptions& options) {
    if (shape.size() == 2)
        pv::save_zarr(path,
                      pv::compute_tensor({shape[0], shape[1]},
                                         [](index_t i, index_t j) { return field<T>(0, i, j); }),
                      options);
    else
        pv::save_zarr(
            path,
            pv::compute_tensor({shape[0], shape[1], shape[2]},
                               [](index_t i, index_t j, index_t k) { return field<T>(i, j, k); }),
            options);
}

pv::AnyTensor opened(const std::string& path) {
    return path.ends_with(".h5") ? pv::open_hdf5(path).array("x").values : pv::open_zarr(path);
}

const pv::Chunks& chunks_of(const pv::AnyTensor& x) {
    return *pv::leaf_of(x.operand())->reader().chunks();
}

/// Calls `work(place, memory)` for each chunk, on two threads, each with memory for one chunk.
void for_each_chunk(const pv::Chunks& chunks,
                    const std::function<void(pv::ShapeSpan, void*, int)>& work) {
    std::atomic<index_t> next{0};
    std::array<std::exception_ptr, kThreads> failures;
    const auto take = [&](int thread) {
        try {
            const auto bytes = static_cast<std::size_t>(chunks.elements_per_chunk() *
                                                        chunks.element_type().size_bytes());
            std::vector<std::byte> memory(bytes);
            pv::Shape at(chunks.counts().size());
            for (index_t number; (number = next++) < chunks.count();) {
                for (std::size_t k = at.size(); k-- > 0; number /= chunks.counts()[k])
                    at[k] = number % chunks.counts()[k];
                work(at, memory.data(), thread);
            }
        } catch (...) {
            failures[static_cast<std::size_t>(thread)] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(take, thread);
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

void print(double seconds, double processor_seconds, const std::string& more = "") {
    std::printf("{\"seconds\": %.6f, \"processor\": %.6f%s}\n", seconds, processor_seconds,
                more.c_str());
}

void decode(int rounds, const std::string& path) {
    const pv::AnyTensor x = opened(path);
    const pv::Chunks& chunks = chunks_of(x);
    double seconds = std::numeric_limits<double>::infinity(), of_processor = seconds;
    for (int round = 0; round < rounds; ++round) {
        const double begin = wall(), before = processor();
        for_each_chunk(chunks, [&](pv::ShapeSpan at, void* memory, int) {
            if (!chunks.read_chunk_into(at, memory))
                throw std::runtime_error(path + ": lacks chunks");
        });
        seconds = std::min(seconds, wall() - begin);
        of_processor = std::min(of_processor, processor() - before);
    }
    print(seconds, of_processor, ", \"chunks\": " + std::to_string(chunks.count()));
}

/// The longer of the threads' times in `write_chunk_from` alone.
void encode(const std::string& path, const std::string& new_path) {
    const pv::StoredArray stored = pv::open_zarr_array(path);
    const pv::AnyTensor copy =
        pv::create_zarr(new_path, stored.values.dtype(), pv::AxisValues(stored.values.shape()),
                        {.chunks = stored.chunk_shape, .overwrite = true});
    const pv::Chunks& source = chunks_of(stored.values);
    // The reader of a tensor that may be written is its writer.
    pv::Chunks& destination = const_cast<pv::Chunks&>(chunks_of(copy));
    std::array<double, kThreads> seconds{}, of_processor{};
    for_each_chunk(source, [&](pv::ShapeSpan at, void* memory, int thread) {
        source.read_chunk_into(at, memory);
        const double begin = wall(), before = processor(CLOCK_THREAD_CPUTIME_ID);
        destination.write_chunk_from(at, memory);
        seconds[static_cast<std::size_t>(thread)] += wall() - begin;
        of_processor[static_cast<std::size_t>(thread)] +=
            processor(CLOCK_THREAD_CPUTIME_ID) - before;
    });
    print(std::max(seconds[0], seconds[1]), of_processor[0] + of_processor[1]);
}

/// What a case reads, where its result goes, and the chunks of that if it is a store.
struct Case {
    std::vector<std::string> paths;
    std::string result;
    pv::Shape chunks;

    pv::Tensor<double> x(std::size_t i = 0) const { return opened(paths.at(i)).as<double>(); }
    pv::ZarrOptions options() const { return {.chunks = chunks, .overwrite = true}; }
};

/// Computes it, and stores a result that is in memory once the time is taken.
using Work = std::function<std::function<void()>(const Case&)>;

template <typename X>
std::function<void()> stored(const Case& what, X result) {
    return [&what, result = std::move(result)] { pv::save_npy(what.result, result); };
}

std::function<void()> nothing() {
    return [] {};
}

const std::map<std::string, Work>& cases() {
    static const std::map<std::string, Work> all{
        {"sum_of_squares",
         [](const Case& what) {
             return stored(what, pv::full(pv::Shape{}, pv::sum(pv::sq(what.x() - 1.))));
         }},
        {"mean_0",
         [](const Case& what) { return stored(what, pv::clone(pv::mean(what.x(), {0}))); }},
        {"mean_1",
         [](const Case& what) { return stored(what, pv::clone(pv::mean(what.x(), {1}))); }},
        {"mean_2",
         [](const Case& what) { return stored(what, pv::clone(pv::mean(what.x(), {2}))); }},
        {"sum_of_both",
         [](const Case& what) {
             return stored(what, pv::full(pv::Shape{}, pv::sum(what.x(0) + what.x(1))));
         }},
        {"standardise",
         [](const Case& what) {
             const auto z = what.x();
             pv::save_zarr(what.result, (z - pv::mean(z, {0})) / pv::standard_deviation(z, {0}),
                           what.options());
             return nothing();
         }},
        {"transpose",
         [](const Case& what) {
             pv::save_zarr(what.result, pv::transpose(what.x()), what.options());
             return nothing();
         }},
        {"rechunk",
         [](const Case& what) {
             pv::save_zarr(what.result, what.x(), what.options());
             return nothing();
         }},
        {"random_rows",
         [](const Case& what) {
             const auto x = opened(what.paths.at(0)).as<float>();
             const auto rows = pv::load_npy<std::int64_t>(what.paths.at(1));
             return stored(what, pv::clone(x(pv::indexes(rows), pv::all)));
         }},
        {"open_array",
         [](const Case& what) {
             const index_t size = pv::open_zarr(what.paths.at(0)).size();
             return stored(what, pv::full(pv::Shape{}, size));
         }},
        {"open_group",
         [](const Case& what) {
             const auto count = std::ssize(pv::open_zarr_group(what.paths.at(0)).arrays());
             return stored(what, pv::full(pv::Shape{}, index_t{count}));
         }},
    };
    return all;
}

void run(const Work& work, const Case& what, index_t limit, int rounds) {
    pv::set_threads(kThreads);
    pv::set_memory_limit(limit);
    forget_peak();
    const index_t at_start = resident("VmRSS");
    double seconds = std::numeric_limits<double>::infinity(), of_processor = seconds;
    pv::ChunkStatistics counts{};
    std::function<void()> store;
    for (int round = 0; round < rounds; ++round) {
        store = nullptr;
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        const double begin = wall(), before = processor();
        store = work(what);
        seconds = std::min(seconds, wall() - begin);
        of_processor = std::min(of_processor, processor() - before);
        counts = pv::chunk_statistics();
    }
    const index_t above = resident("VmHWM") - at_start;
    store();
    print(seconds, of_processor,
          ", \"chunks_read\": " + std::to_string(counts.chunks_read) +
              ", \"chunks_written\": " + std::to_string(counts.chunks_written) +
              ", \"cache_hits\": " + std::to_string(counts.cache_hits) +
              ", \"bytes_read\": " + std::to_string(counts.bytes_read) + ", \"peak_bytes\": " +
              std::to_string(counts.peak_bytes) + ", \"above\": " + std::to_string(above));
}

void main_of(std::span<const std::string> arguments) {
    const auto at = [&](std::size_t i) -> const std::string& {
        if (i >= arguments.size()) throw std::invalid_argument("see chunks.cpp for its arguments");
        return arguments[i];
    };
    const std::string& what = at(0);
    if (what == "make") {
        const pv::ZarrOptions options{.chunks = shape_of(at(4)),
                                      .shards = shape_of(at(5)),
                                      .codecs = codecs_of(at(6)),
                                      .overwrite = true};
        const double begin = wall(), before = processor();
        if (at(2) == "float32")
            make<float>(at(1), shape_of(at(3)), options);
        else
            make<double>(at(1), shape_of(at(3)), options);
        print(wall() - begin, processor() - before);
    } else if (what == "decode") {
        decode(std::atoi(at(1).c_str()), at(2));
    } else if (what == "encode") {
        encode(at(1), at(2));
    } else if (what == "run") {
        const auto found = cases().find(at(1));
        if (found == cases().end()) throw std::invalid_argument("no case is called " + at(1));
        const std::span paths = arguments.subspan(std::min<std::size_t>(6, arguments.size()));
        run(found->second, {{paths.begin(), paths.end()}, at(4), shape_of(at(5))},
            std::atoll(at(2).c_str()), std::atoi(at(3).c_str()));
    } else {
        throw std::invalid_argument("make, decode, encode or run, not " + what);
    }
}

} // namespace

int main(int count, char** arguments) {
    try {
        main_of(std::vector<std::string>(arguments + 1, arguments + count));
    } catch (const std::exception& failure) {
        std::cerr << "bench_chunks: " << failure.what() << '\n';
        return 1;
    }
}
