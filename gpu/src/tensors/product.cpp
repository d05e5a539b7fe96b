#include "product.hpp"

#include "device_reader.hpp"
#include "execution.hpp"
#include "fold.hpp"
#include "run.hpp"

#include "../driver/blas.hpp"
#include "../kernels/product_text.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/matrix_products.hpp>
#include <purview/expression/leaf.hpp>

#include <fmt/format.h>

#include <optional>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr const char* kWhat = "sum of products";
constexpr index_t kNarrowest = 8; ///< narrower products are folded
constexpr index_t kWide = 512;    ///< from here on a group of threads computes larger squares

using Matrix = MatrixProducts::Matrix;

/// The axes [first, first + count) of a strided view as one; nothing if they are not.
std::optional<index_t> stride_of(const Dimensions& dims, std::size_t first, std::size_t count) {
    const ShapeSpan strides = dims.strides();
    const ShapeSpan extents = dims.max_shape();
    for (std::size_t a = first; a + 1 < first + count; ++a)
        if (strides[a] != strides[a + 1] * extents[a + 1]) return {};
    return count == 0 ? 0 : strides[first + count - 1];
}

/// A factor as one matrix for each index of a batch; nothing if it has to be copied to be one.
std::optional<Matrix> matrix_of(const Operand& x, std::size_t batch, std::size_t rows,
                                std::size_t columns) {
    const Leaf* const leaf = leaf_of(x);
    if (leaf == nullptr || buffer_of(leaf->reader()) == nullptr || !x.dims.is_strided()) return {};
    const auto of_batch = stride_of(x.dims, 0, batch);
    const auto of_row = stride_of(x.dims, batch, rows);
    const auto of_column = stride_of(x.dims, batch + rows, columns);
    if (!of_batch || !of_row || !of_column) return {};
    return Matrix{buffer_below(x).handle(), x.dims.base(), *of_batch, *of_row, *of_column};
}

index_t extent_of(ShapeSpan extents) {
    index_t all = 1;
    for (const index_t extent : extents) all *= extent;
    return all;
}

class DeviceProduct {
public:
    DeviceProduct(DeviceState& device, ProductOfMatrices product)
        : device_(device), product_(std::move(product)), type_(*stored_type(product_.a.dtype())) {
        const ShapeSpan results = product_.c.max_shape();
        all_.batch = extent_of(results.first(product_.batch));
        all_.m = extent_of(results.subspan(product_.batch, product_.m));
        all_.n = extent_of(results.subspan(product_.batch + product_.m));
        all_.k = extent_of(product_.a.dims.max_shape().last(product_.k));
        all_.is_double = type_ == Stored::float64;
        all_.scale = product_.scale;
    }

    bool is_worth_it() const { return all_.m >= kNarrowest && all_.n >= kNarrowest; }

    void run(const Operand& out) {
        const auto& [a, b, c, batch, m, n, k, scale] = product_;
        const bool in_order = c == Dimensions::row_major(c.max_shape());
        const index_t size = c.size();
        const Operand results =
            in_order ? out : new_on_device(kWhat, device_, a.dtype(), ShapeSpan(&size, 1));
        all_.a = found(product_.a, batch, m, k, all_.m, all_.k);
        all_.b = found(product_.b, batch, k, n, all_.k, all_.n);
        all_.c = {buffer_below(results).handle(), results.dims.base(), all_.m * all_.n, all_.n, 1};
        Buffer* const buffers[] = {&buffer_below(results), &buffer_below(product_.a),
                                   &buffer_below(product_.b)};
        if (uses_blas() && all_.has_leading_dimensions()) {
            for (Buffer* const buffer : buffers) checks_of(device_).use(*buffer);
            DeviceTurn turn(device_);
            for (Buffer* const buffer : buffers) turn.use(*buffer);
            if (!OnlyBuilds::here()) device_.driver->multiply(turn.stream(), all_);
        } else {
            launch(buffers);
        }
        if (!in_order)
            assign_on_device(device_, {results.node, Dimensions::row_major(c.max_shape())},
                             {out.node, c}, kWhat);
    }

    std::string describe() const {
        const std::string_view by =
            uses_blas() ? std::string_view(device_.driver->blas()) : std::string_view("a kernel");
        return fmt::format("way: {} matrix product{} {}x{}x{} by {} on {}\n", all_.batch,
                           all_.batch == 1 ? "" : "s", all_.m, all_.n, all_.k, by,
                           device_.driver->label());
    }

private:
    bool uses_blas() const { return is_float(type_) && !device_.driver->blas().empty(); }

    /// The matrix that a factor is; or is copied to, in the order of its axes.
    Matrix found(Operand& x, std::size_t batch, std::size_t rows, std::size_t columns,
                 index_t row_count, index_t column_count) {
        if (const auto own = matrix_of(x, batch, rows, columns);
            own && (!uses_blas() || stored_by_rows(*own, row_count, column_count).leading > 0))
            return *own;
        const Operand copy = new_on_device(kWhat, device_, x.dtype(), x.dims.max_shape());
        assign_on_device(device_, x, copy, kWhat);
        x = copy;
        return {buffer_below(x).handle(), 0, row_count * column_count, column_count, 1};
    }

    void launch(std::span<Buffer* const> buffers) const {
        const int side = all_.m >= kWide && all_.n >= kWide && !all_.is_double ? 128 : 64;
        const index_t across = (all_.n + side - 1) / side;
        const index_t squares = across * ((all_.m + side - 1) / side);
        Launch launch;
        for (Buffer* const buffer : buffers)
            launch.arguments.push_back({buffer->handle(), 8, true});
        visit_dtype(product_.a.dtype(), kWhat, [&]<typename T>(std::type_identity<T>) {
            launch.arguments.push_back({bits_of(static_cast<T>(all_.scale)), sizeof(T), false});
        });
        const auto add = [&](index_t number) {
            launch.arguments.push_back({static_cast<std::uint64_t>(number), 8, false});
        };
        for (const index_t number : {all_.m, all_.n, all_.k, across, squares}) add(number);
        for (const Matrix* const x : {&all_.a, &all_.b, &all_.c})
            for (const index_t number : {x->first, x->batch, x->row, x->column}) add(number);
        launch.groups = static_cast<std::size_t>(squares * all_.batch);
        const Execution::Use in_use;
        in_use.run(
            device_, fmt::format("product {} {}", static_cast<int>(type_), side),
            [&] { return product_text(type_, side, device_.driver->dialect()); }, launch, buffers);
    }

    DeviceState& device_;
    ProductOfMatrices product_;
    Stored type_;
    MatrixProducts all_;
};

std::optional<DeviceProduct> product_on_device(DeviceState& device, const work::Fold& fold,
                                               const Operand& source) {
    if (fold.reduction != Reduction::sum || fold.groups < kNarrowest * kNarrowest ||
        !source.dtype().is_builtin() || source.dtype() == boolean)
        return {};
    auto product = product_of_matrices(source, fold.groups);
    if (!product) return {};
    std::optional<DeviceProduct> found(std::in_place, device, *std::move(product));
    if (!found->is_worth_it()) found.reset();
    return found;
}

} // namespace

bool multiply_on_device(DeviceState& device, const work::Fold& fold, const Operand& source,
                        const Operand& out) {
    if (auto found = product_on_device(device, fold, source)) return found->run(out), true;
    if (fold.reduction != Reduction::sum) return false;
    return sum_pair_by_pair(
        source, fold.groups, [&](const Operand& product, index_t groups, bool last) {
            const Operand results =
                last ? out : new_on_device(kWhat, device, product.dtype(), ShapeSpan(&groups, 1));
            fold_on_device(device, {Reduction::sum, groups}, product, results);
            return results.node;
        });
}

std::string describe_product_on_device(DeviceState& device, const work::Fold& fold,
                                       const Operand& source) {
    if (const auto found = product_on_device(device, fold, source)) return found->describe();
    std::string text;
    if (fold.reduction == Reduction::sum)
        sum_pair_by_pair(source, fold.groups, [&](const Operand& product, index_t groups, bool) {
            text += describe_fold_on_device(device, {Reduction::sum, groups}, product);
            return new_on_device(kWhat, device, product.dtype(), ShapeSpan(&groups, 1))
                .node; // no kernel uses it
        });
    return text;
}

} // namespace purview::gpu::detail
