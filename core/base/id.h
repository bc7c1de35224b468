#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace stashscope {

/// A typed index: a NodeId cannot be used where a ValueId is expected. A default-constructed id is
/// invalid.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : index_(static_cast<std::uint32_t>(index)) {}

  constexpr std::size_t index() const { return index_; }
  constexpr bool valid() const { return index_ != none; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t index_ = none;
};

/// A vector indexed by one kind of id only.
template <class Key, class T>
class IdVector {
 public:
  using Storage = std::vector<T>;

  IdVector() = default;
  explicit IdVector(std::size_t size, const T& value = T()) : items_(size, value) {}

  typename Storage::reference operator[](Key key) { return items_[key.index()]; }
  typename Storage::const_reference operator[](Key key) const { return items_[key.index()]; }

  Key push_back(T item) {
    items_.push_back(std::move(item));
    return Key(items_.size() - 1);
  }

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool contains(Key key) const { return key.index() < items_.size(); }
  void resize(std::size_t size) { items_.resize(size); }
  void reserve(std::size_t size) { items_.reserve(size); }

  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  const Storage& items() const { return items_; }

  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  Storage items_;
};

/// All ids below `size`: `for (NodeId node : IdRange<NodeId>(graph.nodes().size()))`.
template <class Key>
class IdRange {
 public:
  explicit IdRange(std::size_t size) : size_(size) {}

  class Iterator {
   public:
    explicit Iterator(std::size_t at) : at_(at) {}
    Key operator*() const { return Key(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    std::size_t at_;
  };

  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(size_); }

 private:
  std::size_t size_;
};

/// Rows of varying length in two flat vectors (compressed sparse rows), indexed by an id.
template <class Key, class T>
class IdRows {
 public:
  IdRows() = default;
  /// Rows of given lengths, filled with T().
  explicit IdRows(std::span<const std::uint32_t> lengths) {
    starts_.reserve(lengths.size());
    std::size_t items = 0;
    for (const std::uint32_t length : lengths) {
      starts_.push_back(items);
      items += length;
    }
    items_.resize(items);
  }

  /// Starts a new last row; `push` adds to it.
  void start_row() { starts_.push_back(items_.size()); }
  void push(T item) { items_.push_back(std::move(item)); }

  std::size_t size() const { return starts_.size(); }

  std::span<const T> operator[](Key key) const {
    const std::size_t row = key.index();
    const std::size_t end = row + 1 < starts_.size() ? starts_[row + 1] : items_.size();
    return {items_.data() + starts_[row], end - starts_[row]};
  }

  std::span<T> row(Key key) {
    const std::span<const T> fixed = (*this)[key];
    return {items_.data() + (fixed.data() - items_.data()), fixed.size()};
  }

  void reserve(std::size_t rows, std::size_t items) {
    starts_.reserve(rows);
    items_.reserve(items);
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<T> items_;
};

}  // namespace stashscope

template <class Tag>
struct std::hash<stashscope::Id<Tag>> {
  std::size_t operator()(stashscope::Id<Tag> id) const noexcept { return id.index(); }
};
