// Makes containers and gets rid of them: nothing that this process makes is left behind, and what a
// process that was killed has left behind is removed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "plimsoll/result.h"
#include "providers/docker/engine_api.h"
#include "providers/docker/instance.h"

namespace plimsoll::docker {

// Safe for concurrent use. Outlives every ticket.
class ContainerYard {
 public:
  // Nothing is removed more than this many containers late.
  static constexpr std::size_t kMaxBacklog = 64;

  ContainerYard(EngineApi& engine, Instance self) : engine_(engine), self_(std::move(self)) {}
  // Removes what is left to remove, once more what could not be removed before.
  ~ContainerYard();
  ContainerYard(const ContainerYard&) = delete;
  ContainerYard& operator=(const ContainerYard&) = delete;

  // The right to one container. Whatever came of its making, it is gone soon after this is.
  class Ticket {
   public:
    Ticket(Ticket&& other) noexcept
        : yard_(std::exchange(other.yard_, nullptr)),
          serial_(other.serial_),
          id_(std::move(other.id_)),
          killed_(other.killed_) {}
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket() {
      if (yard_ != nullptr)
        yard_->bury({.serial = serial_, .id = std::move(id_), .killed = killed_});
    }
    [[nodiscard]] Labels labels() const { return labels_of(yard_->self_, serial_); }
    [[nodiscard]] std::string name() const;
    void made(std::string id) { id_ = std::move(id); }
    // Its first process was killed, so that its end is near. It is removed once the engine has seen
    // that: told to kill what is dying, the engine's shim waits for each process in it that goes.
    void killed() noexcept { killed_ = true; }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }

   private:
    friend class ContainerYard;
    Ticket(ContainerYard* yard, std::uint64_t serial) noexcept : yard_(yard), serial_(serial) {}
    ContainerYard* yard_;
    std::uint64_t serial_;
    std::string id_;
    bool killed_ = false;
  };
  [[nodiscard]] Ticket ticket();

  // Starts the thread that removes, and that sweeps every minute. Idempotent. Errors: kNotReady.
  [[nodiscard]] Result<void> start();

  // Removes orphans, and what of ours nobody has a ticket for, as far as the engine lets it now.
  // Errors: kNotReady, it does not list its containers.
  [[nodiscard]] Result<void> sweep();

 private:
  struct Grave {
    std::uint64_t serial = 0;
    std::string id{};
    bool killed = false;
  };
  void bury(Grave grave);
  void remove(const Grave& grave);
  [[nodiscard]] bool try_to_remove(const Grave& grave);
  void work(const std::stop_token& stop);
  [[nodiscard]] bool is_waste(const ContainerEntry& container);

  EngineApi& engine_;
  const Instance self_;
  std::mutex mutex_;
  std::uint64_t next_serial_ = 1;
  std::set<std::uint64_t> living_;  // serials with a ticket, or about to be removed
  std::deque<Grave> graves_;
  bool missed_ = false;  // one of ours may still be there that has no ticket
  std::condition_variable_any changed_;
  std::jthread worker_;  // last: it uses all of the above
};

}  // namespace plimsoll::docker
