#include "hostile/check.hpp"
#include "hostile/programs.hpp"

#include <purview/purview.hpp>

#include <concepts>
#include <cstdint>
#include <functional>

#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pv = purview;

namespace hostile {
namespace {

constexpr std::int64_t kElements = 100'000;

/// Memory that another process writes to all the while.
template <typename T>
class ChangingMemory {
public:
    ChangingMemory() {
        void* const shared = ::mmap(nullptr, kElements * sizeof(T), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        check(shared != MAP_FAILED, "mmap");
        elements_ = static_cast<T*>(shared);
        writer_ = ::fork();
        check(writer_ >= 0, "fork");
        if (writer_ == 0) write_for_ever();
    }
    ChangingMemory(const ChangingMemory&) = delete;
    ChangingMemory& operator=(const ChangingMemory&) = delete;
    ~ChangingMemory() {
        ::kill(writer_, SIGKILL);
        ::waitpid(writer_, nullptr, 0);
        ::munmap(elements_, kElements * sizeof(T));
    }

    T* elements() const noexcept { return elements_; }

private:
    /// Ranges that grow and shrink, so that what was counted in one pass is another range in the next.
    [[noreturn]] void write_for_ever() const {
        ::alarm(250); // longer than the test may take
        std::uint64_t bits = 0x9e3779b97f4a7c15;
        for (std::uint64_t round = 0;; ++round) {
            const std::uint64_t range = round % 3 == 0 ? 7 : round % 3 == 1 ? 90'000 : 1'000'000;
            for (std::int64_t i = 0; i < kElements; ++i) {
                bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
                elements_[i] = static_cast<T>(bits % range);
            }
        }
    }

    T* elements_ = nullptr;
    pid_t writer_ = -1;
};

/// Whether these are indexes of `count` elements.
void check_indexes(const pv::Tensor<std::int64_t>& indexes, std::int64_t count) {
    for (const std::int64_t index : pv::as_span(pv::contiguous(indexes)))
        check(index >= 0 && index < count, "an index of what there is");
}

/// Whatever a call gives or throws, it stays within its memory. (The address sanitizer looks.)
void permit_errors(const std::function<void()>& call) {
    try {
        call();
    } catch (const pv::Error&) {}
}

template <typename T>
void call_everything(const pv::Tensor<T>& x) {
    const auto rows = x | pv::reshape({100, 1000});
    check(pv::sort(x).size() == kElements, "as many elements");
    pv::sort(x, pv::descending);
    pv::sort(rows);
    check_indexes(pv::argsort(x), kElements);
    check_indexes(pv::argsort(x, pv::descending), kElements);
    check_indexes(pv::argsort(rows, 0), 100);
    check_indexes(pv::arg_min_n(x, 1000), kElements);
    check_indexes(pv::arg_max_n(x, 1000), kElements);
    const pv::MutableTensor<std::int64_t> parts = pv::argpartition(x, kElements / 2);
    check_indexes(parts, kElements);
    check(pv::sum(parts) == kElements * (kElements - 1) / 2, "each index once");
    pv::topk(x, 10);
    check_indexes(pv::unique_all(x).inverse, kElements);
    pv::unique(x);
    pv::ranks(x);
    pv::median(x);
    pv::percentile(x, {1., 20., 50., 80., 99.}, 0);
    pv::searchsorted(x, x);
    pv::isin(x, pv::tensor({T{1}, T{5}, T{100}}));
    pv::forward_fill(x);
    check(pv::argmax(x) < kElements && pv::argmin(x) < kElements, "a place");
    check_indexes(pv::argmax(rows, 1), 1000);
    check_indexes(pv::argmin(rows, 0), 100);
    pv::max_with_index(x);
    const auto groups = pv::arggroup(x);
    for (std::int64_t g = 0; g < groups.size(); ++g) check_indexes(groups.indexes(g), kElements);
    pv::group_by_reduce(x, x, pv::sum);
    pv::unordered_group_by_reduce(x, x, pv::mean);
    pv::clone(x(x > T{3}));
    pv::to_sparse(x);
    pv::spearman(x, x);
    pv::kendall(x, x);
    permit_errors([&] { pv::histogram(x, 50); });
    if constexpr (std::integral<T>) {
        pv::bincount(x);
        const pv::Tensor<double> source = pv::zeros({100'000});
        const auto [n, m] = pv::dims("n", "m");
        permit_errors([&] { pv::clone(source(x(n)) | pv::order(n)); });
        const pv::MutableTensor<double> sums = pv::zeros({100'000});
        permit_errors([&] { sums(x(n)) += 1.; });
        permit_errors([&] { pv::take(source, x); });
    } else {
        permit_errors([&] { pv::fill_range(x, 1e5); });
        permit_errors([&] { pv::interp(x, x, x); });
    }
}

template <typename T>
void call_while_written() {
    const ChangingMemory<T> memory;
    for (int round = 0; round < 8; ++round)
        call_everything<T>(pv::borrow(static_cast<const T*>(memory.elements()), {kElements}));
}

} // namespace

void changing_memory() {
    call_while_written<std::int32_t>();
    call_while_written<std::int64_t>();
    call_while_written<double>();
}

} // namespace hostile
