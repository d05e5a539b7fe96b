#include "blas.hpp"

#include "dynamic_library.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>

namespace purview::inline v0_1::gpu::detail {

DeviceBlas::~DeviceBlas() = default;

StoredByRows stored_by_rows(const MatrixProducts::Matrix& x, index_t rows,
                            index_t columns) noexcept {
    // The stride of an axis of one element is of no account.
    const index_t row = rows == 1 ? columns : x.row;
    const index_t column = columns == 1 ? 1 : x.column;
    if (column == 1 && row >= columns) return {false, row};
    const index_t down = rows == 1 ? 1 : x.row;
    const index_t across = columns == 1 ? rows : x.column;
    if (down == 1 && across >= rows) return {true, across};
    return {};
}

bool MatrixProducts::has_leading_dimensions() const noexcept {
    const auto fits = [](index_t x) { return x > 0 && x <= std::numeric_limits<int>::max(); };
    const StoredByRows result = stored_by_rows(c, m, n);
    return fits(batch) && fits(m) && fits(n) && fits(k) && !result.transposed &&
           fits(result.leading) && fits(stored_by_rows(a, m, k).leading) &&
           fits(stored_by_rows(b, k, n).leading);
}

namespace {

template <typename T>
struct Factors {
    StoredByRows a, b;
    T scale, zero = 0;
    explicit Factors(const MatrixProducts& p)
        : a(stored_by_rows(p.a, p.m, p.k)),
          b(stored_by_rows(p.b, p.k, p.n)),
          scale(static_cast<T>(p.scale)) {}
};

class Cublas final : public DeviceBlas {
public:
    Cublas(const DynamicLibrary& library, const std::string& device) : device_(device) {
        library.find("cublasSetStream_v2", set_stream_);
        library.find("cublasSgemmStridedBatched", of_floats_);
        library.find("cublasDgemmStridedBatched", of_doubles_);
        int (*create)(void**) = nullptr;
        int (*set_math)(void*, int) = nullptr;
        int (*get_version)(void*, int*) = nullptr;
        library.find("cublasCreate_v2", create);
        library.find("cublasSetMathMode", set_math);
        library.find("cublasGetVersion_v2", get_version);
        check(create(&handle_), "cublasCreate");
        check(set_math(handle_, 0), "cublasSetMathMode"); // float32 without TF32
        int version = 0;
        check(get_version(handle_, &version), "cublasGetVersion");
        name_ = fmt::format("cuBLAS {}", version);
    }

    const std::string& name() const noexcept override { return name_; }

    void begin(StreamHandle stream, const MatrixProducts& p) override {
        const std::lock_guard lock(mutex_); // the handle knows one stream
        check(set_stream_(handle_, stream), "cublasSetStream");
        if (p.is_double)
            check(multiply(of_doubles_, p), "cublasDgemmStridedBatched");
        else
            check(multiply(of_floats_, p), "cublasSgemmStridedBatched");
    }

private:
    template <typename T>
    using Gemm = int (*)(void*, int, int, int, int, int, const T*, const T*, int, long long,
                         const T*, int, long long, const T*, T*, int, long long, int);

    /// cuBLAS knows matrices by columns: what is c by rows is c' by columns, and c' = b' a'.
    template <typename T>
    int multiply(Gemm<T> gemm, const MatrixProducts& p) const {
        const Factors<T> f(p);
        const auto at = [](const MatrixProducts::Matrix& x) {
            return reinterpret_cast<T*>(x.memory) + x.first;
        };
        return gemm(handle_, f.b.transposed ? 1 : 0, f.a.transposed ? 1 : 0, static_cast<int>(p.n),
                    static_cast<int>(p.m), static_cast<int>(p.k), &f.scale, at(p.b),
                    static_cast<int>(f.b.leading), p.b.batch, at(p.a),
                    static_cast<int>(f.a.leading), p.a.batch, &f.zero, at(p.c),
                    static_cast<int>(stored_by_rows(p.c, p.m, p.n).leading), p.c.batch,
                    static_cast<int>(p.batch));
    }
    void check(int code, const char* function) const {
        if (code != 0) throw DeviceError(fmt::format("{}: {}: status {}", device_, function, code));
    }

    std::string device_, name_;
    std::mutex mutex_;
    void* handle_ = nullptr;
    int (*set_stream_)(void*, void*) = nullptr;
    Gemm<float> of_floats_ = nullptr;
    Gemm<double> of_doubles_ = nullptr;
};

class Clblast final : public DeviceBlas {
public:
    Clblast(const DynamicLibrary& library, const std::string& device) : device_(device) {
        library.find("CLBlastSgemm", float_);
        library.find("CLBlastDgemm", double_);
        library.find("CLBlastSgemmStridedBatched", floats_);
        library.find("CLBlastDgemmStridedBatched", doubles_);
    }

    const std::string& name() const noexcept override { return name_; }

    void begin(StreamHandle stream, const MatrixProducts& p) override {
        const std::lock_guard lock(mutex_); // its kernels hold their arguments
        if (p.is_double)
            multiply(double_, doubles_, stream, p);
        else
            multiply(float_, floats_, stream, p);
    }

private:
    using Size = std::size_t;
    template <typename T>
    using Gemm = int (*)(int, int, int, Size, Size, Size, T, void*, Size, Size, void*, Size, Size,
                         T, void*, Size, Size, void**, void**);
    template <typename T>
    using Gemms = int (*)(int, int, int, Size, Size, Size, T, void*, Size, Size, Size, void*, Size,
                          Size, Size, T, void*, Size, Size, Size, Size, void**, void**);

    template <typename T>
    void multiply(Gemm<T> one, Gemms<T> several, void* queue, const MatrixProducts& p) const {
        const Factors<T> f(p);
        const int a = f.a.transposed ? 112 : 111, b = f.b.transposed ? 112 : 111;
        const auto memory = [](const MatrixProducts::Matrix& x) {
            return reinterpret_cast<void*>(x.memory);
        };
        const auto size = [](index_t x) { return static_cast<Size>(x); };
        const Size leading = size(stored_by_rows(p.c, p.m, p.n).leading);
        constexpr int by_rows = 101;
        const int code =
            p.batch == 1 ? one(by_rows, a, b, size(p.m), size(p.n), size(p.k), f.scale, memory(p.a),
                               size(p.a.first), size(f.a.leading), memory(p.b), size(p.b.first),
                               size(f.b.leading), f.zero, memory(p.c), size(p.c.first), leading,
                               &queue, nullptr)
                         : several(by_rows, a, b, size(p.m), size(p.n), size(p.k), f.scale,
                                   memory(p.a), size(p.a.first), size(f.a.leading), size(p.a.batch),
                                   memory(p.b), size(p.b.first), size(f.b.leading), size(p.b.batch),
                                   f.zero, memory(p.c), size(p.c.first), leading, size(p.c.batch),
                                   size(p.batch), &queue, nullptr);
        if (code != 0) throw DeviceError(fmt::format("{}: CLBlast: status {}", device_, code));
    }

    std::string device_, name_ = "CLBlast";
    std::mutex mutex_;
    Gemm<float> float_ = nullptr;
    Gemm<double> double_ = nullptr;
    Gemms<float> floats_ = nullptr;
    Gemms<double> doubles_ = nullptr;
};

/// Null where the user has turned it off, or there is none.
template <typename Blas>
std::unique_ptr<DeviceBlas> opened(std::vector<std::string> places, const std::string& device) {
    const char* const given = std::getenv("PURVIEW_GPU_BLAS");
    const bool is_given = given != nullptr && *given != '\0';
    if (is_given && given == std::string_view("off")) return nullptr;
    if (is_given) places = {given};
    const DynamicLibrary library(places);
    if (!library && is_given)
        throw DeviceError(fmt::format("PURVIEW_GPU_BLAS: '{}' cannot be opened", given));
    if (!library) return nullptr;
    try {
        return std::make_unique<Blas>(library, device);
    } catch (const DeviceError& error) {
        if (!is_given) throw;
        throw DeviceError(fmt::format("PURVIEW_GPU_BLAS: '{}': {}", given, error.what()));
    }
}

} // namespace

std::unique_ptr<DeviceBlas> open_cublas(int driver_major, const std::string& device) {
    std::vector<int> majors; // drivers know the libraries of older versions
    for (int major = driver_major; major >= 11; --major) majors.push_back(major);
    return opened<Cublas>(places_of_cuda_library("cublas", majors), device);
}

std::unique_ptr<DeviceBlas> open_clblast(const std::string& device) {
    return opened<Clblast>({"libclblast.so.1", "libclblast.so"}, device);
}

} // namespace purview::gpu::detail
