#include <support/catch.hpp>
#include <support/child_process.hpp>
#include <support/stored_chunks.hpp>
#include <support/temporary.hpp>

#include <purview/purview.hpp>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

// What is larger than memory, in processes that are killed, beside others, and without space on the disk: nothing is left
// behind, and nothing is lost.

namespace ended_sorts_test {

namespace pv = purview;
using oracle::ChildProcess;
using oracle::holds_in_child;
using oracle::MemoryLimit;
using oracle::Twins;
using pv::index_t;

constexpr index_t kRows = 60'000;
constexpr index_t kLimit = 200'000;

struct Columns {
    Twins<std::int64_t> keys{
        {kRows}, {1000}, [](index_t i) { return i * 7919 % kRows * 1'000'003; }};
    Twins<double> values{
        {kRows}, {1000}, [](index_t i) { return static_cast<double>(i * 31 % 997); }};
};

/// Calls that go by way of temporary files, and whether their results are those of the same in memory.
std::vector<std::pair<std::string, std::function<bool(const Columns&)>>> works() {
    const auto same = [](const auto& a, const auto& b) {
        return pv::to_vector(a) == pv::to_vector(b);
    };
    return {
        {"sort",
         [=](const Columns& x) {
             return same(pv::sort(x.values.chunks), pv::sort(x.values.memory));
         }},
        {"unique",
         [=](const Columns& x) {
             return same(pv::unique(x.keys.chunks), pv::unique(x.keys.memory));
         }},
        {"group_by_reduce",
         [=](const Columns& x) {
             const auto [keys, sums] = pv::group_by_reduce(x.keys.chunks, x.values.chunks, pv::sum);
             const auto right = pv::group_by_reduce(x.keys.memory, x.values.memory, pv::sum);
             return same(keys, std::get<0>(right)) && same(sums, std::get<1>(right));
         }},
        {"join",
         [=](const Columns& x) {
             const auto rows = pv::join(x.keys.chunks, x.keys.chunks);
             const auto right = pv::join(x.keys.memory, x.keys.memory);
             return same(rows.left, right.left) && same(rows.right, right.right);
         }},
    };
}

/// A folder of its own for temporary files, and whether it is empty.
class TemporaryFolder {
public:
    TemporaryFolder() : before_(pv::temporary_directory()) {
        ::setenv("TMPDIR", (folder_ / "").c_str(), 1);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { ::setenv("TMPDIR", before_.c_str(), 1); }
    bool is_empty() const { return folder_.file_count() == 0; }

private:
    std::string before_;
    temporary::Folder folder_;
};

TEST_CASE("a process that is killed leaves no files behind") {
    const Columns columns;
    const TemporaryFolder folder;
    for (const auto& [name, work] : works()) {
        for (const index_t reads : {3, 40, 58}) {
            CAPTURE(name, reads);
            ChildProcess child([&] {
                const MemoryLimit limit(kLimit);
                const auto kill = [&, read = index_t{0}](pv::ShapeSpan) mutable {
                    if (++read == reads) std::raise(SIGKILL);
                };
                columns.keys.stored->before_read = kill;
                columns.values.stored->before_read = kill;
                return work(columns) ? 0 : 1;
            });
            CHECK(WIFSIGNALED(child.status()));
            CHECK(folder.is_empty());
        }
    }
}

TEST_CASE("two processes beside each other have files of their own") {
    const Columns columns;
    const TemporaryFolder folder;
    const MemoryLimit limit(kLimit);
    for (const auto& [name, work] : works()) {
        CAPTURE(name);
        ChildProcess one([&] { return work(columns) ? 0 : 1; });
        ChildProcess other([&] { return work(columns) ? 0 : 1; });
        CHECK(one.status() == 0);
        CHECK(other.status() == 0);
        CHECK(folder.is_empty());
    }
}

TEST_CASE("files that the disk has no room for end with an error, and nothing is lost") {
    const Columns columns;
    const TemporaryFolder folder;
    const MemoryLimit limit(kLimit);
    for (const auto& [name, work] : works()) {
        CAPTURE(name);
        for (const ::rlim_t bytes : {10'000U, 300'000U}) {
            CHECK(holds_in_child([&] {
                std::signal(SIGXFSZ, SIG_IGN);
                ::rlimit files{};
                ::getrlimit(RLIMIT_FSIZE, &files);
                const ::rlimit few{bytes, files.rlim_max};
                ::setrlimit(RLIMIT_FSIZE, &few);
                bool refused = false;
                try {
                    static_cast<void>(work(columns));
                } catch (const pv::FormatError& error) {
                    refused = std::string(error.what()).starts_with(name + ": cannot ");
                }
                ::setrlimit(RLIMIT_FSIZE, &files);
                return refused && pv::temporary_limit() > 0 && work(columns);
            }));
        }
        CHECK(folder.is_empty());
    }
}

} // namespace ended_sorts_test
