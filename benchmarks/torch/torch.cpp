/// libtorch. One file, as its headers take most of the time that this program takes to be built.

#include "../support/cases.hpp"

#include <torch/torch.h>

namespace {

using namespace bench;
using torch::Tensor;

template <typename T>
Tensor random_tensor(std::vector<std::int64_t> shape, std::uint64_t seed, T scale = T{1}) {
    at::set_num_threads(threads());
    const Tensor tensor = torch::empty(shape, torch::CppTypeToScalarType<T>::value);
    fill_random(tensor.data_ptr<T>(), static_cast<std::size_t>(tensor.numel()), seed, scale);
    return tensor;
}

Summary summary_of(const Tensor& tensor) {
    const Tensor values = tensor.to(torch::kFloat64).contiguous();
    return bench::summary_of(values.data_ptr<double>(), static_cast<std::size_t>(values.numel()));
}

/// The same with gradients off, as for any computation that needs none.
template <typename Run>
auto made(Run run) {
    const auto without_gradients = [=] {
        const c10::InferenceMode guard;
        return run();
    };
    return Task{without_gradients, [=] { return summary_of(without_gradients()); }};
}
template <typename Run>
auto number(Run run) {
    const auto without_gradients = [=] {
        const c10::InferenceMode guard;
        return run().template item<double>();
    };
    return Task{without_gradients, [=] { return Summary{without_gradients()}; }};
}

template <typename T>
void add_of_type(const char* dtype, std::int64_t n) {
    const std::string size = std::to_string(n);
    add(case_name("sum_sq_diff", size, dtype), [=] {
        const auto x = random_tensor<T>({n}, 1), y = random_tensor<T>({n}, 2);
        return number([=] { return (x - y).square().sum(); });
    });
    add(case_name("chain", size, dtype), [=] {
        const auto a = random_tensor<T>({n}, 1), out = torch::empty_like(a);
        return made([=] {
            Tensor result = out;
            return torch::add_out(result, a, torch::scalar_to_tensor(4.0))
                .mul_(2)
                .sub_(3)
                .div_(2)
                .add_(6)
                .mul_(4);
        });
    });
    add(case_name("chain_new", size, dtype), [=] {
        const auto a = random_tensor<T>({n}, 1);
        return made([=] { return (((((a + 4) * 2) - 3) / 2) + 6) * 4; });
    });
}

template <typename T, typename F>
void add_function(const char* name, const char* dtype, std::int64_t n, F function) {
    add(case_name(name, std::to_string(n), dtype), [=] {
        const auto x = random_tensor<T>({n}, 1), out = torch::empty_like(x);
        fill_positive(x.template data_ptr<T>(), static_cast<std::size_t>(n), 1);
        return made([=] {
            Tensor result = out;
            return function(result, x);
        });
    });
}

template <typename T>
void add_functions(const char* dtype, std::int64_t n) {
    const auto function = [=](const char* name, auto f) { add_function<T>(name, dtype, n, f); };
    function("exp", [](Tensor& out, const Tensor& x) { return torch::exp_out(out, x); });
    function("log", [](Tensor& out, const Tensor& x) { return torch::log_out(out, x); });
    function("sin", [](Tensor& out, const Tensor& x) { return torch::sin_out(out, x); });
    function("tanh", [](Tensor& out, const Tensor& x) { return torch::tanh_out(out, x); });
    function("pow", [](Tensor& out, const Tensor& x) { return torch::pow_out(out, x, 2.5); });
}

void add_softmax(const char* size, std::vector<std::int64_t> shape) {
    add(case_name("softmax", size, "float32"), [=] {
        const auto x = random_tensor<float>(shape, 1, 8);
        return made([=] { return torch::softmax(x, -1); });
    });
}

template <typename T, typename Run>
void add_copy(const std::string& name, std::vector<std::int64_t> shape, Run view) {
    add(name, [=] {
        const auto source = random_tensor<T>(shape, 1);
        const auto out = torch::empty_like(view(source), torch::MemoryFormat::Contiguous);
        return made([=] {
            Tensor result = out;
            return result.copy_(view(source));
        });
    });
}

const std::vector<std::int64_t> kMatrix{4096, 4096};

template <typename Reduce>
void add_reduction(const char* name, Reduce reduce) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor<double>(kMatrix, 1);
        return number([=] { return reduce(matrix); });
    });
}

void add_with_vector(const char* name, std::vector<std::int64_t> shape) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor<double>(kMatrix, 1);
        const auto vector = random_tensor<double>(shape, 2), out = torch::empty_like(matrix);
        return made([=] {
            Tensor result = out;
            return torch::add_out(result, matrix, vector);
        });
    });
    add(case_name(std::string(name) + "_sum", "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor<double>(kMatrix, 1);
        const auto vector = random_tensor<double>(shape, 2);
        return number([=] { return (matrix + vector).sum(); });
    });
}

void add_gather(const char* name, void (*fill_indexes)(std::int64_t*, std::size_t)) {
    add(case_name(name, "10000000", "float64"), [=] {
        const auto source = random_tensor<double>({10'000'000}, 1), out = torch::empty_like(source);
        const auto list = torch::empty({10'000'000}, torch::kInt64);
        fill_indexes(list.data_ptr<std::int64_t>(), 10'000'000);
        return made([=] {
            Tensor result = out;
            return torch::index_select_out(result, source, 0, list);
        });
    });
}

void add_products() {
    for (const std::int64_t n : {4, 8, 16, 64, 256, 1024})
        add(case_name("matmul", std::to_string(n), "float64"), [=] {
            const auto a = random_tensor<double>({n, n}, 1), out = torch::empty_like(a);
            const auto b = random_tensor<double>({n, n}, 2);
            return made([=] {
                Tensor result = out;
                return torch::mm_out(result, a, b);
            });
        });
    add("matmul_batched/256x64/float64", [] {
        const auto a = random_tensor<double>({256, 64, 64}, 1), out = torch::empty_like(a);
        const auto b = random_tensor<double>({256, 64, 64}, 2);
        return made([=] {
            Tensor result = out;
            return torch::bmm_out(result, a, b);
        });
    });
    add("attention_scores/4x128x8x64/float64", [] {
        const auto q = random_tensor<double>({4, 128, 8, 64}, 1);
        const auto k = random_tensor<double>({4, 128, 8, 64}, 2);
        return made([=] { return torch::einsum("bqhf,bkhf->bhqk", {q, k}); });
    });
}

/// What first-class dimensions are compared with.
void add_dims() {
    add("multi_head_attention/8x12x128x768/float32", [] {
        const auto q = random_tensor<float>({8, 128, 768}, 1);
        const auto k = random_tensor<float>({8, 128, 768}, 2);
        const auto v = random_tensor<float>({8, 128, 768}, 3);
        const auto distances = random_tensor<float>({255, 64}, 4);
        return made([=] {
            const auto split = [](const Tensor& x) {
                return x.view({8, 128, 12, 64}).permute({0, 2, 1, 3});
            };
            const Tensor query = split(q), key = split(k), value = split(v);
            const Tensor place = torch::arange(128);
            const Tensor position =
                distances.index({place.unsqueeze(1) - place.unsqueeze(0) + 127});
            const Tensor scores = torch::matmul(query, key.transpose(-1, -2)) +
                                  torch::einsum("bhld,lrd->bhlr", {query, position}) +
                                  torch::einsum("bhrd,lrd->bhlr", {key, position});
            const Tensor weights = torch::softmax(scores / std::sqrt(64.0), -1);
            return torch::matmul(weights, value).permute({0, 2, 1, 3}).reshape({8, 128, 768});
        });
    });
    add("pixel_shuffle/8x64x128x128/float32", [] {
        const auto image = random_tensor<float>({8, 64, 128, 128}, 1);
        return made([=] { return torch::pixel_shuffle(image, 2); });
    });
    add("embedding_bag/100000x64/float32", [] {
        const auto table = random_tensor<float>({100'000, 64}, 1);
        const auto ids = torch::empty({4096, 32}, torch::kInt64);
        fill_random_indexes(ids.data_ptr<std::int64_t>(), 4096 * 32, 100'000);
        const auto offsets = torch::arange(0, 4096 * 32, 32);
        return made(
            [=] { return std::get<0>(torch::embedding_bag(table, ids.view({-1}), offsets)); });
    });
    add("triu/4096x4096/float64", [] {
        const auto a = random_tensor<double>(kMatrix, 1), out = torch::empty_like(a);
        return made([=] {
            Tensor result = out;
            return torch::triu_out(result, a);
        });
    });
    add("diff/4096x4096/float64", [] {
        const auto a = random_tensor<double>(kMatrix, 1);
        const auto before = torch::zeros({4096, 1}, torch::kFloat64);
        return made([=] { return torch::diff(a, 1, 1, before); });
    });
    add("sequence_mask/4096x4096/float64", [] {
        const auto values = random_tensor<double>(kMatrix, 1);
        const auto lengths = torch::empty({4096}, torch::kInt64);
        fill_random_indexes(lengths.data_ptr<std::int64_t>(), 4096);
        const auto none = torch::zeros({}, torch::kFloat64);
        return made(
            [=] { return torch::where(torch::arange(4096) < lengths.unsqueeze(1), values, none); });
    });
}

void add_laziness() {
    const auto add_lazy = [](const char* name, auto make) {
        add(case_name(name, "2x3", "float64"), [=] {
            keep_second_thread();
            const auto x = random_tensor<double>({2, 3}, 1), y = random_tensor<double>({2, 3}, 2);
            return made([=] { return make(x, y); });
        });
    };
    add_lazy("handle_copy", [](const Tensor& x, const Tensor&) { return x; });
    add_lazy("view_transpose", [](const Tensor& x, const Tensor&) { return x.t(); });
    add_lazy("view_row", [](const Tensor& x, const Tensor&) { return x.select(0, 1); });
    add("add_small/3/float64", [] {
        const auto x = random_tensor<double>({3}, 1), y = random_tensor<double>({3}, 2);
        return made([=] { return x + y; });
    });
}

const Cases tensors([] {
    for (const std::int64_t n : {10'000'000, 100'000, 1'000}) {
        add_of_type<double>("float64", n);
        add_of_type<float>("float32", n);
    }
    for (const std::int64_t n : {10'000'000, 1'000}) {
        add_functions<double>("float64", n);
        add_functions<float>("float32", n);
    }
    add_softmax("1024x1024", {1024, 1024});
    add_softmax("8x4096x64", {8, 4096, 64});
    const auto transposed = [](const Tensor& x) { return x.t(); };
    add_copy<double>("transpose/4096x4096/float64", kMatrix, transposed);
    add_copy<float>("transpose/4096x4096/float32", kMatrix, transposed);
    const std::vector<std::int64_t> cube{256, 256, 256};
    add_copy<double>("permute_210/256x256x256/float64", cube, [](const Tensor& x) {
        return x.permute({2, 1, 0});
    });
    add_copy<double>("permute_120/256x256x256/float64", cube, [](const Tensor& x) {
        return x.permute({1, 2, 0});
    });
    add("crop_channels/2048x2048x4/uint8", [] {
        const auto image = random_tensor<std::uint8_t>({2048, 2048, 4}, 1);
        const auto channels = torch::tensor({2, 1, 0}, torch::kInt64);
        const auto out = torch::empty({1536, 1536, 3}, torch::kUInt8);
        return made([=] {
            Tensor result = out;
            const auto crop = image.narrow(0, 256, 1536).narrow(1, 256, 1536);
            return torch::index_select_out(result, crop, 2, channels);
        });
    });
    add("rotate/4096x4096/float64", [] {
        const auto matrix = random_tensor<double>(kMatrix, 1);
        return made([=] { return matrix.roll({1000, 37}, {0, 1}); });
    });
    add_gather("gather_random", fill_random_indexes);
    add_gather("gather_sorted", fill_sorted_indexes);
    add("cast_float64_uint8/10000000/uint8", [] {
        const auto x = random_tensor<double>({10'000'000}, 1, 255.0);
        const auto out = torch::empty({10'000'000}, torch::kUInt8);
        return made([=] { return Tensor(out).copy_(x); });
    });
    add("cast_int32_float64/10000000/float64", [] {
        const auto x = random_tensor<std::int32_t>({10'000'000}, 1);
        const auto out = torch::empty({10'000'000}, torch::kFloat64);
        return made([=] { return Tensor(out).copy_(x); });
    });
    add_with_vector("add_row", {1, 4096});
    add_with_vector("add_column", {4096, 1});
    add_reduction("sum", [](const Tensor& m) { return m.sum(); });
    add_reduction("mean", [](const Tensor& m) { return m.mean(); });
    add_reduction("min", [](const Tensor& m) { return m.min(); });
    add_reduction("argmax", [](const Tensor& m) { return m.argmax(); });
    add_reduction("variance", [](const Tensor& m) { return m.var(false); });
    add("sum_axis0/4096x4096/float64", [] {
        const auto matrix = random_tensor<double>(kMatrix, 1);
        return made([=] { return matrix.sum(0); });
    });
    add("sum_axis1/4096x4096/float64", [] {
        const auto matrix = random_tensor<double>(kMatrix, 1);
        return made([=] { return matrix.sum(1); });
    });
    add("argfilter/10000000/float64", [] {
        const auto x = random_tensor<double>({10'000'000}, 1);
        return made([=] { return (x > 0.5).nonzero().flatten(); });
    });
    add("argsort/1000000/float64", [] {
        const auto x = random_tensor<double>({1'000'000}, 1);
        return made([=] { return std::get<1>(x.sort(c10::optional<bool>(true), 0, false)); });
    });
    add("cumsum/10000000/float64", [] {
        const auto x = random_tensor<double>({10'000'000}, 1);
        return made([=] { return x.cumsum(0); });
    });
    add("cummax/10000000/float64", [] {
        const auto x = random_tensor<double>({10'000'000}, 1);
        return made([=] { return std::get<0>(x.cummax(0)); });
    });
    add_products();
    add_dims();
    add_laziness();
});

} // namespace
