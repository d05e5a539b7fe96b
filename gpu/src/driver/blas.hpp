#pragma once

#include "driver.hpp"

#include <purview/base/index.hpp>

#include <memory>

namespace purview::inline v0_1::gpu::detail {

/// Matrix products, one for each index of a batch: c = scale · a b, of float32 or float64. Strides and places are in elements.
struct MatrixProducts {
    struct Matrix {
        Handle memory = 0;
        index_t first = 0;
        index_t batch = 0, row = 0, column = 0; ///< strides
    };
    bool is_double = false;
    index_t batch = 1, m = 1, n = 1, k = 1;
    double scale = 1;
    Matrix a, b, c;

    /// Whether a BLAS takes it: it knows matrices by a leading dimension, in 32 bits.
    bool has_leading_dimensions() const noexcept;
};

/// How a BLAS sees a matrix that is stored by rows.
struct StoredByRows {
    bool transposed = false;
    index_t leading = 0; ///< 0: it cannot
};
StoredByRows stored_by_rows(const MatrixProducts::Matrix& x, index_t rows,
                            index_t columns) noexcept;

/// A device's BLAS, which was found at run time.
class DeviceBlas {
public:
    DeviceBlas() = default;
    DeviceBlas(const DeviceBlas&) = delete;
    DeviceBlas& operator=(const DeviceBlas&) = delete;
    virtual ~DeviceBlas();

    /// Its name and version.
    virtual const std::string& name() const noexcept = 0;
    /// Begins products that have leading dimensions. Throws `DeviceError`.
    virtual void begin(StreamHandle stream, const MatrixProducts& products) = 0;
};

/// cuBLAS and CLBlast, or what the environment variable PURVIEW_GPU_BLAS names; null where there is none, or that is `off`. For cuBLAS
/// the device's context has to be current, now and at each call.
std::unique_ptr<DeviceBlas> open_cublas(int driver_major, const std::string& device);
std::unique_ptr<DeviceBlas> open_clblast(const std::string& device);

} // namespace purview::gpu::detail
