/// Arrow's C data interface, into and out of: one column of 1000 numbers, and a batch of four.

#include "inputs.hpp"

#include <purview/interop/arrow.hpp>

#include <array>

namespace {

using namespace bench;

constexpr std::size_t kRows = 1000;
constexpr std::size_t kColumns = 4;
constexpr std::array<const char*, kColumns> kNames{"a", "b", "c", "d"};

/// What a producer holds who has nothing to release. Structures are made anew for each crossing, as consumers move out of
/// them.
class Producer {
public:
    explicit Producer(std::size_t columns) : columns_(columns) {
        for (std::size_t c = 0; c < columns; ++c) {
            numbers_[c].resize(kRows);
            fill_random(numbers_[c].data(), kRows, c + 1);
            buffers_[c] = {nullptr, numbers_[c].data()};
            arrays_[c] = &array_of_[c];
            schemas_[c] = &schema_of_[c];
        }
    }
    Producer(const Producer&) = delete;
    Producer& operator=(const Producer&) = delete;
    ~Producer() = default;

    pv::arrow::Array column(std::size_t c) {
        return {.length = kRows,
                .null_count = 0,
                .offset = 0,
                .n_buffers = 2,
                .n_children = 0,
                .buffers = buffers_[c].data(),
                .children = nullptr,
                .dictionary = nullptr,
                .release = release<pv::arrow::Array>,
                .private_data = nullptr};
    }
    static pv::arrow::Schema column_schema(std::size_t c) {
        return {.format = "g",
                .name = kNames[c],
                .metadata = nullptr,
                .flags = 0,
                .n_children = 0,
                .children = nullptr,
                .dictionary = nullptr,
                .release = release<pv::arrow::Schema>,
                .private_data = nullptr};
    }
    pv::arrow::Array batch() {
        for (std::size_t c = 0; c < columns_; ++c) array_of_[c] = column(c);
        return {.length = kRows,
                .null_count = 0,
                .offset = 0,
                .n_buffers = 1,
                .n_children = static_cast<std::int64_t>(columns_),
                .buffers = no_bitmap_.data(),
                .children = arrays_.data(),
                .dictionary = nullptr,
                .release = release<pv::arrow::Array>,
                .private_data = nullptr};
    }
    pv::arrow::Schema batch_schema() {
        for (std::size_t c = 0; c < columns_; ++c) schema_of_[c] = column_schema(c);
        return {.format = "+s",
                .name = "",
                .metadata = nullptr,
                .flags = 0,
                .n_children = static_cast<std::int64_t>(columns_),
                .children = schemas_.data(),
                .dictionary = nullptr,
                .release = release<pv::arrow::Schema>,
                .private_data = nullptr};
    }

private:
    template <typename S>
    static void release(S* self) {
        self->release = nullptr;
    }
    std::size_t columns_;
    std::array<std::vector<double>, kColumns> numbers_{};
    std::array<std::array<const void*, 2>, kColumns> buffers_{};
    std::array<const void*, 1> no_bitmap_{};
    std::array<pv::arrow::Array, kColumns> array_of_{};
    std::array<pv::arrow::Array*, kColumns> arrays_{};
    std::array<pv::arrow::Schema, kColumns> schema_of_{};
    std::array<pv::arrow::Schema*, kColumns> schemas_{};
};

/// Of exported numbers.
Summary summary_of_array(const pv::arrow::Array& array) {
    return summary_of(static_cast<const double*>(array.buffers[1]), kRows);
}

const Cases doors_arrow([] {
    add("door_from_arrow_column/1000/float64", [] {
        keep_second_thread();
        const auto producer = std::make_shared<Producer>(1);
        const auto run = [=] {
            pv::arrow::Array array = producer->column(0);
            pv::arrow::Schema schema = Producer::column_schema(0);
            return pv::column_from_arrow(&array, &schema);
        };
        return Task{run, [=] { return summary_of(run().values.as<double>()); }};
    });
    add("door_from_arrow_batch/1000x4/float64", [] {
        keep_second_thread();
        const auto producer = std::make_shared<Producer>(kColumns);
        const auto run = [=] {
            pv::arrow::Array array = producer->batch();
            pv::arrow::Schema schema = producer->batch_schema();
            return pv::from_arrow(&array, &schema);
        };
        return Task{run, [=] { return summary_of(run().get<double>("d")); }};
    });
    add("door_to_arrow_column/1000/float64", [] {
        keep_second_thread();
        const pv::Column column("a", random_tensor({kRows}, 1));
        const auto run = [=] { return pv::to_arrow(column); };
        return Task{run, [=] { return summary_of_array(run().array); }};
    });
    add("door_to_arrow_batch/1000x4/float64", [] {
        keep_second_thread();
        const pv::Columns columns{{"a", random_tensor({kRows}, 1)},
                                  {"b", random_tensor({kRows}, 2)},
                                  {"c", random_tensor({kRows}, 3)},
                                  {"d", random_tensor({kRows}, 4)}};
        const auto run = [=] { return pv::to_arrow(columns); };
        return Task{run, [=] { return summary_of_array(*run().array.children[3]); }};
    });
});

} // namespace
