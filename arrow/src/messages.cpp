#include "messages.hpp"

#include "refuse.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace purview::inline v0_1::ipc {
namespace {

constexpr int kDeepest = 128;

/// Copies a description, and checks that it does not lead out of itself.
template <typename Root>
std::pair<Words, const Root*> checked(std::span<const std::byte> bytes, index_t at,
                                      const char* what) {
    std::vector<std::uint64_t> words((bytes.size() + 7) / 8);
    if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
    const auto* const first = reinterpret_cast<const std::uint8_t*>(words.data());
    flatbuffers::Verifier verifier(
        first, bytes.size(), kDeepest,
        static_cast<flatbuffers::uoffset_t>(std::max<std::size_t>(bytes.size(), 1024)));
    if (!verifier.VerifyBuffer<Root>(nullptr))
        refuse("the {} at byte {}, of {} bytes, is damaged", what, at, bytes.size());
    const auto kept = std::make_shared<const std::vector<std::uint64_t>>(std::move(words));
    return {kept, flatbuffers::GetRoot<Root>(kept->data())};
}

void check_version(format::Version version) {
    if (version != format::Version::V4 && version != format::Version::V5)
        refuse("version {} of the format, where 4 and 5 are read", static_cast<int>(version) + 1);
}

/// A message, and the file behind its description.
struct Message {
    Words words{};
    const format::Message* said = nullptr; ///< null: the end
    index_t body = 0;
};

class Walk {
public:
    explicit Walk(const MappedFile& file) : bytes_(file.bytes()) {}

    Messages read() {
        if (begins_with(0, kMagic))
            read_file();
        else if (begins_with(0, "FEA1"))
            refuse("the file is of version 1 of Feather, which is no format of Arrow's");
        else
            read_stream();
        return std::move(messages_);
    }

private:
    index_t size() const noexcept { return std::ssize(bytes_); }
    bool begins_with(index_t at, std::string_view text) const {
        return at >= 0 && size() - at >= std::ssize(text) &&
               std::memcmp(bytes_.data() + at, text.data(), text.size()) == 0;
    }
    std::span<const std::byte> part(index_t at, index_t count, const char* what) const {
        if (at < 0 || count < 0 || at > size() || count > size() - at)
            refuse("the {} is said to be at byte {}, of {} bytes, and the file has {}", what, at,
                   count, size());
        return bytes_.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count));
    }
    std::uint32_t word_at(index_t at, const char* what) const {
        std::uint32_t word = 0;
        std::memcpy(&word, part(at, 4, what).data(), 4);
        return word;
    }

    /// The message at `at`, of a description of at most so many bytes; before version 0.15 there was no word before its length.
    Message message_at(index_t at, index_t most) const {
        std::uint32_t length = word_at(at, "length of a message");
        index_t begin = at + 4;
        if (length == kContinuation) {
            length = word_at(begin, "length of a message");
            begin += 4;
        }
        if (length == 0) return {};
        if (begin + index_t{length} - at > most)
            refuse("the message at byte {} has {} bytes, where {} are said", at, length, most);
        const auto [words, said] =
            checked<format::Message>(part(begin, length, "message"), begin, "message");
        check_version(said->version());
        if (said->header_type() != format::MessageHeader::NONE && said->header() == nullptr)
            refuse("the message at byte {} has no contents", at);
        part(begin + index_t{length}, said->body_length(), "body of a message");
        return {words, said, begin + index_t{length}};
    }

    void set_schema(const format::Schema* schema, format::Version version, const Words& words) {
        if (schema == nullptr) refuse("there is no schema");
        messages_.fields = fields_of(*schema, version, words->size() * sizeof(std::uint64_t));
    }

    static Batch batch_of(const Message& message, const format::RecordBatch* record) {
        if (record == nullptr) refuse("a batch without a description");
        if (record->length() < 0) refuse("a batch of {} rows", record->length());
        if (const format::BodyCompression* const how = record->compression())
            if (how->method() != format::Method::Buffer)
                refuse("compression by method {}", static_cast<int>(how->method()));
        return {message.words, record, message.body, message.said->body_length()};
    }

    void add_dictionary(const Message& message) {
        const format::DictionaryBatch& said = *message.said->header_as_DictionaryBatch();
        const Batch batch = batch_of(message, said.data());
        const auto known = dictionaries_->find(said.id());
        if (said.is_delta() && known != dictionaries_->end()) {
            known->second->push_back(batch);
            return;
        }
        // Batches that were read keep the dictionaries of before.
        if (dictionaries_.use_count() > 1)
            dictionaries_ = std::make_shared<Dictionaries>(*dictionaries_);
        (*dictionaries_)[said.id()] = std::make_shared<Dictionary>(1, batch);
    }
    void add_rows(const Message& message) {
        RowBatch batch{batch_of(message, message.said->header_as_RecordBatch())};
        batch.dictionaries = dictionaries_;
        messages_.batches.push_back(std::move(batch));
    }

    void read_stream() {
        bool has_schema = false;
        for (index_t at = 0; at < size();) {
            const Message message = message_at(at, size());
            if (message.said == nullptr) break;
            switch (message.said->header_type()) {
            case format::MessageHeader::Schema:
                if (has_schema) refuse("the message at byte {} is a second schema", at);
                set_schema(message.said->header_as_Schema(), message.said->version(),
                           message.words);
                has_schema = true;
                break;
            case format::MessageHeader::DictionaryBatch: add_dictionary(message); break;
            case format::MessageHeader::RecordBatch: add_rows(message); break;
            default:
                refuse("the message at byte {} is of kind {}, which is no part of a table", at,
                       static_cast<int>(message.said->header_type()));
            }
            if (!has_schema) refuse("the first message is no schema");
            at = message.body + message.said->body_length();
        }
        if (!has_schema) refuse("the file has no schema: it is none of Arrow's");
    }

    Message message_in(const format::Block& block, format::MessageHeader kind) const {
        const Message message = message_at(block.offset(), block.metadata_length());
        if (message.said == nullptr || message.said->header_type() != kind ||
            message.said->body_length() > block.body_length())
            refuse("the message at byte {} is not what the end of the file says", block.offset());
        return message;
    }

    void read_file() {
        const index_t end = size() - std::ssize(kMagic);
        if (end < std::ssize(kMagicHead) + 4 || !begins_with(end, kMagic))
            refuse("the file does not end as one of Arrow's: it was cut short");
        const index_t length = word_at(end - 4, "length of the contents");
        const index_t begin = end - 4 - length;
        if (begin < std::ssize(kMagicHead))
            refuse("the table of contents has {} bytes, and the file {}", length, size());
        const auto [words, footer] = checked<format::Footer>(
            part(begin, length, "table of contents"), begin, "table of contents");
        check_version(footer->version());
        const auto* const dictionaries = footer->dictionaries();
        const auto* const batches = footer->record_batches();
        std::vector<const format::Block*> blocks;
        for (const auto* const list : {dictionaries, batches})
            if (list != nullptr) blocks.insert(blocks.end(), list->begin(), list->end());
        check_apart(blocks);
        // Arrow's own library has written the table of contents of older messages as of version 5.
        format::Version version = footer->version();
        if (batches != nullptr && batches->size() > 0)
            version = std::min(
                version,
                message_in(*batches->Get(0), format::MessageHeader::RecordBatch).said->version());
        set_schema(footer->schema(), version, words);
        if (dictionaries != nullptr)
            for (const format::Block* const block : *dictionaries)
                add_dictionary(message_in(*block, format::MessageHeader::DictionaryBatch));
        if (batches != nullptr)
            for (const format::Block* const block : *batches)
                add_rows(message_in(*block, format::MessageHeader::RecordBatch));
    }

    /// Throws where two messages are said to share bytes: so many of them as have room are read.
    static void check_apart(std::vector<const format::Block*> blocks) {
        std::ranges::sort(blocks, {}, [](const format::Block* block) { return block->offset(); });
        index_t end = 0;
        for (const format::Block* const block : blocks) {
            if (block->offset() < end || block->metadata_length() < 0 || block->body_length() < 0 ||
                __builtin_add_overflow(block->offset() + block->metadata_length(),
                                       block->body_length(), &end))
                refuse("the messages at byte {} and before it share bytes", block->offset());
            // Of a message without bytes, there is no end of room.
            end = std::max(end, block->offset() + 8);
        }
    }

    std::span<const std::byte> bytes_;
    Messages messages_{};
    std::shared_ptr<Dictionaries> dictionaries_ = std::make_shared<Dictionaries>();
};

} // namespace

Messages read_messages(const MappedFile& file) { return Walk(file).read(); }

} // namespace purview::ipc
