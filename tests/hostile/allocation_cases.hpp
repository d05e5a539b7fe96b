#pragma once

#include "hostile/allocation_failures.hpp"
#include "hostile/check.hpp"

#include <purview/evaluation/threads.hpp>
#include <purview/purview.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace hostile {

struct AllocationCase {
    std::string name;
    std::function<void()> run; ///< checks its results
};

/// Cases that are added one by one. Everything is evaluated on one thread, so that requests come in
/// one order, and no memory is kept, so that it is asked for.
class AllocationCases {
public:
    AllocationCases() {
        purview::set_threads(1);
        purview::set_recycled_memory_limit(0);
    }

    void operator()(std::string name, std::function<void()> run) {
        cases_.push_back({std::move(name), std::move(run)});
    }

    /// Lets every request of every case fail in turn. Ends the process unless each throws or
    /// succeeds, and works afterwards, and unless there were so many requests.
    void fail_all(std::size_t at_least) const {
        std::size_t requests = 0;
        for (const AllocationCase& test : cases_)
            for (const Allocator allocator : {Allocator::heap, Allocator::mapping})
                requests += fail_each(test, allocator);
        std::printf("%zu requests have failed\n", requests);
        check(requests >= at_least, "there was something to fail");
    }

private:
    static std::size_t fail_each(const AllocationCase& test, Allocator allocator) {
        test.run(); // so that what is remembered is there
        fail_allocation(allocator, 0);
        test.run();
        const std::size_t requests = stop_failing().count;
        for (std::size_t k = 1; k <= requests; ++k) {
            bool thrown = false;
            fail_allocation(allocator, k);
            try {
                test.run();
            } catch (const std::exception&) {
                thrown = true;
            }
            const auto [count, failed] = stop_failing();
            if (thrown && !failed) {
                std::fprintf(stderr, "%s: request %zu\n", test.name.c_str(), k);
                check(false, "an exception without a failure");
            }
            test.run(); // nothing is left half done
        }
        return requests;
    }

    std::vector<AllocationCase> cases_;
};

} // namespace hostile
