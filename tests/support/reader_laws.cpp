#include <support/reader_laws.hpp>

#include <cstddef>
#include <limits>
#include <vector>

namespace reader_laws {

namespace {

/// Calls `visit(begin, step, count)` for blocks of every kind within n elements.
template <typename Visit>
void for_blocks(index_t n, const Visit& visit) {
    visit(0, 1, 0);
    for (const index_t step : {1, -1, 2, -3, 0, 7}) {
        for (index_t begin = 0; begin < n; begin += 1 + n / 7) {
            index_t most = 3;
            if (step > 0) most = (n - 1 - begin) / step + 1;
            if (step < 0) most = begin / -step + 1;
            visit(begin, step, most);
            visit(begin, step, most / 2);
            visit(begin, step, 1);
        }
    }
    constexpr index_t kHuge = std::numeric_limits<index_t>::max();
    if (n > 0) visit(n - 1, kHuge, 1);
    if (n > 0) visit(n - 1, -kHuge - 1, 1);
}

std::vector<index_t> scrambled_indexes(index_t n) {
    std::vector<index_t> indexes;
    for (index_t i = 0; i < n; ++i) indexes.push_back((i * 31 + 5) % n);
    for (index_t i = n - 1; i >= 0; i -= 2) indexes.push_back(i);
    return indexes;
}

} // namespace

template <typename T>
void check_reads(const purview::Reader<T>& reader, const Values<T>& expected) {
    const index_t n = expected.size();
    REQUIRE(reader.size() == n);
    CHECK(reader.empty() == (n == 0));
    CHECK(reader.dtype() == purview::kDType<T>);

    bool same = true;
    for (index_t i = 0; i < n; ++i) {
        same = same && reader.read(i) == expected[i] && reader[i] == expected[i];
        same = same && reader.at(i) == expected[i] && reader.at(i - n) == expected[i];
    }
    CHECK(same);
    CHECK_THROWS_AS(reader.at(n), purview::IndexError);
    CHECK_THROWS_AS(reader.at(-n - 1), purview::IndexError);
    CHECK(std::ranges::equal(reader, expected));
    CHECK(reader.end() - reader.begin() == n);

    for_blocks(n, [&](index_t begin, index_t step, index_t count) {
        Values<T> out(count);
        Values<T> erased(count);
        reader.read_block(begin, step, out.span());
        reader.read_into(begin, step, count, erased.data());
        bool block = out == erased;
        for (index_t i = 0; i < count; ++i) block = block && out[i] == expected[begin + i * step];
        INFO("begin " << begin << " step " << step << " count " << count);
        CHECK(block);
    });

    const std::vector<index_t> indexes = n == 0 ? std::vector<index_t>{} : scrambled_indexes(n);
    Values<T> out(static_cast<index_t>(indexes.size()));
    Values<T> erased(out.size());
    reader.gather(indexes, out.span());
    reader.gather_into(indexes, erased.data());
    bool gathered = out == erased;
    for (index_t i = 0; i < out.size(); ++i)
        gathered = gathered && out[i] == expected[indexes[static_cast<std::size_t>(i)]];
    CHECK(gathered);

    if (const purview::MemoryView memory = reader.memory()) {
        bool agrees = true;
        for (index_t i = 0; i < n; ++i)
            agrees = agrees && purview::load_element<T>(static_cast<const std::byte*>(memory.data) +
                                                        i * memory.stride_bytes) == expected[i];
        CHECK(agrees);
        CHECK(reader.kind() != purview::Kind::computed);
    } else {
        CHECK(reader.kind() != purview::Kind::dense);
    }
}

template <typename T>
void check_writes(purview::Reader<T>& reader, purview::Writer<T>& writer) {
    const index_t n = reader.size();
    CHECK(writer.written_dtype() == purview::kDType<T>);
    Values<T> expected(n);
    reader.read_block(0, 1, expected.span());

    index_t next = 3;
    for (index_t i = 0; i < n; i += 2) {
        expected[i] = sample<T>(++next);
        writer.write(i, expected[i]);
    }
    check_reads<T>(reader, expected);

    bool blocks = true;
    bool erased_once = false;
    for_blocks(n, [&](index_t begin, index_t step, index_t count) {
        const Values<T> values = Values<T>::samples(count, ++next);
        for (index_t i = 0; i < count; ++i) expected[begin + i * step] = values[i];
        erased_once = !erased_once;
        if (erased_once)
            writer.write_from(begin, step, count, values.begin());
        else
            writer.write_block(begin, step, values.span());
        Values<T> now(n);
        reader.read_block(0, 1, now.span());
        blocks = blocks && now == expected;
    });
    CHECK(blocks);

    if (n > 0) {
        const std::vector<index_t> indexes = scrambled_indexes(n);
        const auto count = static_cast<index_t>(indexes.size());
        for (const bool erased : {true, false}) {
            const Values<T> values = Values<T>::samples(count, ++next);
            for (index_t i = 0; i < count; ++i)
                expected[indexes[static_cast<std::size_t>(i)]] = values[i];
            if (erased)
                writer.scatter_from(indexes, values.begin());
            else
                writer.scatter(indexes, values.span());
            check_reads<T>(reader, expected);
        }
    }

    if (const purview::MutableMemoryView memory = writer.writable_memory()) {
        for (index_t i = 0; i < n; ++i) {
            expected[i] = sample<T>(i + 50);
            purview::store_element<T>(
                static_cast<std::byte*>(memory.data) + i * memory.stride_bytes, expected[i]);
        }
        check_reads<T>(reader, expected);
    }
}

READER_LAWS()

} // namespace reader_laws
