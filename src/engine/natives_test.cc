// Natives and imports get numbers that guest code made. Beyond the linear memory nothing is
// accessible, so an access outside of it ends this program.
#include "engine/natives.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine_fixture.h"
#include "engine/js_value.h"

namespace plimsoll::engine {
namespace {

constexpr auto kMax32 = std::numeric_limits<std::uint32_t>::max();

// An engine with a host, as the natives find it in the middle of a run.
struct Scene {
  Scene() { instance.run().host = &host; }

  JsValue number(double value) {
    JsValue boxed = kJsUndefined;
    EXPECT_EQ(enter_guest(
                  instance,
                  [&] { boxed = Z_qjsZ_JS_NewNumber(instance.raw(), instance.context(), value); }),
              Trap::kNone);
    return boxed;
  }
  JsValue string(std::string_view text) {
    JsValue value = kJsUndefined;
    EXPECT_EQ(new_string(instance,
                         {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, value),
              Trap::kNone);
    return value;
  }
  GuestPtr allocate(std::uint32_t size) {
    GuestPtr at = 0;
    EXPECT_EQ(enter_guest(instance, [&] { at = Z_qjsZ_wasm_malloc(instance.raw(), size); }),
              Trap::kNone);
    EXPECT_NE(at, 0U);
    return at;
  }
  // Calls with proper argument cells.
  NativeReturn call(char id, const std::vector<JsValue>& values) {
    const auto count = static_cast<std::uint32_t>(values.size());
    const GuestPtr cells = allocate(8 * count + 8);
    const GuestPtr pointers = allocate(4 * count + 4);
    for (std::uint32_t i = 0; i < count; ++i) {
      instance.store(cells + 8 * i, values[i]);
      instance.store(pointers + 4 * i, cells + 8 * i);
    }
    return call_native(instance, id, {.count = count, .pointers = pointers});
  }
  // What a call gave: nothing when an exception is pending.
  std::optional<JsValue> value_of(const NativeReturn& result) {
    EXPECT_EQ(result.trap, Trap::kNone);
    if (result.cell == 0) {
      JsValue error = kJsUndefined;
      EXPECT_EQ(take_exception(instance, error), Trap::kNone);
      EXPECT_TRUE(is_object(error));
      return std::nullopt;
    }
    return instance.load<JsValue>(result.cell);
  }

  TestEngine engine;
  Instance& instance = *engine.instance;
  TestHost host;
};

void in_scene(const std::function<void(Scene&)>& body) {
  on_guest_stack([&body] {
    Scene scene;
    body(scene);
  });
}

TEST(Natives, ArgumentsOutsideOfMemoryAreUndefined) {
  in_scene([](Scene& scene) {
    const auto size = static_cast<std::uint32_t>(scene.engine.memory.size());
    for (const GuestPtr pointers : {size - 4, size - 3, size, kMax32, kMax32 - 3, kMax32 - 7}) {
      for (const std::uint32_t index : {0U, 1U, 2U, 0x4000'0000U, kMax32 - 1}) {
        const NativeArgs args{.count = kMax32, .pointers = pointers};
        const std::uint32_t at = pointers + 4 * index;  // wraps, and must be inside all the same
        const bool inside = at <= size - 4 && scene.instance.load<GuestPtr>(at) != 0;
        if (inside) continue;
        EXPECT_EQ(args.at(scene.instance, index), kJsUndefined) << pointers << ", " << index;
      }
    }
    const GuestPtr list = scene.allocate(4);
    for (const GuestPtr cell : {0U, size, size - 7, kMax32, kMax32 - 7}) {
      scene.instance.store(list, cell);
      const NativeArgs args{.count = 1, .pointers = list};
      EXPECT_EQ(args.at(scene.instance, 0), cell == 0 ? kJsUndefined : js_int(0)) << cell;
      EXPECT_EQ(args.at(scene.instance, 1), kJsUndefined);
    }
  });
}

TEST(Natives, NoCallWithWildPointersReadsOrWritesOutside) {
  in_scene([](Scene& scene) {
    const auto size = static_cast<std::uint32_t>(scene.engine.memory.size());
    for (int id = 0; id <= 255; ++id) {
      for (const GuestPtr pointers : {size, size - 1, kMax32, kMax32 - 3}) {
        for (const std::uint32_t count : {0U, 1U, 2U, 3U, kMax32}) {
          const NativeReturn result = call_native(scene.instance, static_cast<char>(id),
                                                  {.count = count, .pointers = pointers});
          if (id == 'e') {
            EXPECT_EQ(result.trap, Trap::kExit);
          } else {
            EXPECT_EQ(result.trap, Trap::kNone) << id;
            (void)scene.value_of(result);
          }
        }
      }
    }
    EXPECT_EQ(scene.host.out + scene.host.err, "");
  });
}

TEST(Natives, WithoutAHostNothingHappens) {
  in_scene([](Scene& scene) {
    scene.instance.run().host = nullptr;
    for (const Native& native : kNatives) {
      EXPECT_EQ(scene.value_of(scene.call(native.id, {js_int(1)})), kJsUndefined) << native.id;
    }
  });
}

TEST(Natives, WriteTakesStringsAndBytesOnly) {
  in_scene([](Scene& scene) {
    EXPECT_EQ(scene.value_of(scene.call('w', {js_int(1), scene.string("out")})), kJsUndefined);
    EXPECT_EQ(scene.value_of(scene.call('w', {js_int(2), scene.string("err")})), kJsUndefined);
    EXPECT_EQ(scene.host.out, "out");
    EXPECT_EQ(scene.host.err, "err");
    for (const JsValue value : {kJsNull, kJsUndefined, js_int(5), scene.number(1.5)}) {
      EXPECT_EQ(scene.value_of(scene.call('w', {js_int(1), value})), std::nullopt);
    }
    EXPECT_EQ(scene.value_of(scene.call('w', {})), std::nullopt);
    EXPECT_EQ(scene.host.out, "out");
  });
}

TEST(Natives, AFloodOfWritesEndsTheRun) {
  in_scene([](Scene& scene) {
    scene.host.flood_bytes = 5;
    EXPECT_EQ(scene.call('w', {js_int(1), scene.string("12345")}).trap, Trap::kNone);
    EXPECT_EQ(scene.call('w', {js_int(1), scene.string("6")}).trap, Trap::kOutputFlood);
  });
}

TEST(Natives, ExitKeepsTheLowEightBits) {
  in_scene([](Scene& scene) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::array<std::pair<double, int>, 13> kCases = {{{0, 0},
                                                            {1.9, 1},
                                                            {-1, 255},
                                                            {255, 255},
                                                            {256, 0},
                                                            {-257, 255},
                                                            {4'294'967'301.0, 5},
                                                            {1e20, 0},
                                                            {-1e20, 0},
                                                            {1e308, 0},
                                                            {std::nan(""), 0},
                                                            {kInfinity, 0},
                                                            {-kInfinity, 0}}};
    for (const auto& [code, expected] : kCases) {
      EXPECT_EQ(scene.call('e', {scene.number(code)}).trap, Trap::kExit);
      EXPECT_EQ(scene.instance.run().exit_code, expected) << code;
    }
    EXPECT_EQ(scene.call('e', {scene.string("7")}).trap, Trap::kExit);
    EXPECT_EQ(scene.instance.run().exit_code, 0);
  });
}

TEST(Natives, RandomBytesAreBounded) {
  in_scene([](Scene& scene) {
    for (const double count : {0.0, 1.0, 65'536.0}) {
      const auto value = scene.value_of(scene.call('r', {scene.number(count)}));
      ASSERT_TRUE(value && is_object(*value)) << count;
      EXPECT_EQ(static_cast<double>(text_of(scene.instance, *value).bytes.size()), count);
    }
    const std::uint64_t before = scene.host.random;
    for (const double count : {-1.0, 65'537.0, 1e300, std::nan("")}) {
      EXPECT_EQ(scene.value_of(scene.call('r', {scene.number(count)})), kJsUndefined) << count;
    }
    EXPECT_EQ(scene.host.random, before);
  });
}

TEST(Natives, WantTakesItsThreeBitsOnly) {
  in_scene([](Scene& scene) {
    for (const double bits : {-1.0, 8.0, 1e10, std::nan("")}) {
      (void)scene.call('l', {scene.number(bits)});
      EXPECT_EQ(scene.instance.run().wants, 0U) << bits;
    }
    (void)scene.call('l', {js_int(1)});
    (void)scene.call('l', {js_int(4)});
    EXPECT_EQ(scene.instance.run().wants, kWantsTicks | kWantsExit);
  });
}

TEST(Natives, ClocksAreTheHosts) {
  in_scene([](Scene& scene) {
    scene.instance.run().started_ns = scene.host.monotonic - 1'500'000;
    double value = 0;
    const auto now = scene.value_of(scene.call('n', {}));
    ASSERT_TRUE(now);
    EXPECT_EQ(to_number(scene.instance, *now, value), Trap::kNone);
    EXPECT_EQ(value, 1.5);
    const auto wall = scene.value_of(scene.call('c', {}));
    ASSERT_TRUE(wall);
    EXPECT_EQ(to_number(scene.instance, *wall, value), Trap::kNone);
    EXPECT_EQ(value, static_cast<double>(scene.host.wall_ns()) / 1e6);
  });
}

TEST(Natives, InspectionOfWhatIsNoObjectIsNothing) {
  in_scene([](Scene& scene) {
    for (const JsValue value : {kJsUndefined, kJsNull, js_int(3), scene.string("x")}) {
      EXPECT_EQ(scene.value_of(scene.call('p', {value})), kJsUndefined);
      EXPECT_EQ(scene.value_of(scene.call('s', {value})), kJsUndefined);
      const auto kind = scene.value_of(scene.call('k', {value}));
      ASSERT_TRUE(kind && is_string(*kind));
      EXPECT_EQ(text_of(scene.instance, *kind).bytes.size(), 0U);
    }
  });
}

// ---- The module's imports, called as the translated code calls them. ----

template <class Body>
Trap as_guest(Scene& scene, Body&& body) {
  return enter_guest(scene.instance, body);
}

TEST(Imports, AHostCallWithAWildNameIsNoNative) {
  in_scene([](Scene& scene) {
    Z_env_instance_t env{&scene.instance};
    for (const GuestPtr name : {kMax32, static_cast<GuestPtr>(scene.engine.memory.size())}) {
      for (const u32 size : {0U, 1U, 2U, kMax32}) {
        u32 cell = 0;
        EXPECT_EQ(
            as_guest(scene,
                     [&] { cell = Z_envZ_host_call(&env, name, size, kMax32, kMax32, kMax32); }),
            Trap::kNone);
        EXPECT_EQ(scene.instance.load<JsValue>(cell), kJsUndefined);
      }
    }
    EXPECT_EQ(scene.host.out + scene.host.err, "");
  });
}

TEST(Imports, ANameOfMoreThanOneByteIsNoNative) {
  in_scene([](Scene& scene) {
    Z_env_instance_t env{&scene.instance};
    const GuestPtr name = scene.allocate(4);
    scene.instance.store(name, std::array<char, 4>{'e', 'x', 'i', 't'});
    u32 cell = 0;
    EXPECT_EQ(as_guest(scene, [&] { cell = Z_envZ_host_call(&env, name, 4, 0, 0, 0); }),
              Trap::kNone);
    EXPECT_EQ(as_guest(scene, [&] { cell = Z_envZ_host_call(&env, name, 1, 0, 0, 0); }),
              Trap::kExit);
  });
}

TEST(Imports, TheClockIsStoredInsideOrNotAtAll) {
  in_scene([](Scene& scene) {
    Z_wasi_snapshot_preview1_instance_t wasi{&scene.instance};
    const auto size = static_cast<std::uint32_t>(scene.engine.memory.size());
    for (const GuestPtr out : {size, size - 7, kMax32, kMax32 - 7}) {
      u32 error = 0;
      EXPECT_EQ(
          as_guest(scene,
                   [&] { error = Z_wasi_snapshot_preview1Z_clock_time_get(&wasi, 0, 0, out); }),
          Trap::kNone);
      EXPECT_EQ(error, 21U) << out;
    }
    const GuestPtr out = scene.allocate(8);
    for (const u32 clock : {0U, 1U, 99U}) {
      u32 error = 1;
      EXPECT_EQ(
          as_guest(scene,
                   [&] { error = Z_wasi_snapshot_preview1Z_clock_time_get(&wasi, clock, 0, out); }),
          Trap::kNone);
      EXPECT_EQ(error, 0U);
      EXPECT_EQ(scene.instance.load<std::uint64_t>(out),
                clock == 0 ? scene.host.wall_ns() : scene.host.monotonic_ns());
    }
  });
}

TEST(Imports, RandomnessIsWrittenInsideOrNotAtAll) {
  in_scene([](Scene& scene) {
    Z_wasi_snapshot_preview1_instance_t wasi{&scene.instance};
    const auto size = static_cast<std::uint32_t>(scene.engine.memory.size());
    const std::uint64_t before = scene.host.random;
    for (const auto& [at, count] : std::vector<std::pair<u32, u32>>{
             {size, 1}, {size - 1, 2}, {kMax32, 1}, {kMax32, kMax32}, {1, kMax32}, {16, size}}) {
      u32 error = 0;
      EXPECT_EQ(as_guest(scene,
                         [&, at = at, count = count] {
                           error = Z_wasi_snapshot_preview1Z_random_get(&wasi, at, count);
                         }),
                Trap::kNone);
      EXPECT_EQ(error, 21U) << at << " + " << count;
    }
    EXPECT_EQ(scene.host.random, before);
  });
}

TEST(Imports, AnImportOfAWildNameIsAnErrorOfTheGuests) {
  in_scene([](Scene& scene) {
    Z_env_instance_t env{&scene.instance};
    const auto size = static_cast<std::uint32_t>(scene.engine.memory.size());
    for (const GuestPtr name : {size, size - 1, kMax32}) {
      u32 module = 1;
      EXPECT_EQ(as_guest(scene, [&] { module = Z_envZ_host_module_normalize(&env, 0, name); }),
                Trap::kNone);
      EXPECT_EQ(module, 0U);
      JsValue error = kJsUndefined;
      EXPECT_EQ(take_exception(scene.instance, error), Trap::kNone);
      EXPECT_TRUE(is_object(error));
      EXPECT_EQ(as_guest(scene, [&] { module = Z_envZ_host_module_load(&env, name, kMax32); }),
                Trap::kNone);
      EXPECT_EQ(module, 0U);
      EXPECT_EQ(take_exception(scene.instance, error), Trap::kNone);
    }
  });
}

TEST(Imports, FilesAreNotThere) {
  in_scene([](Scene& scene) {
    Z_wasi_snapshot_preview1_instance_t wasi{&scene.instance};
    EXPECT_NE(Z_wasi_snapshot_preview1Z_fd_write(&wasi, 1, kMax32, kMax32, kMax32), 0U);
    EXPECT_NE(Z_wasi_snapshot_preview1Z_fd_close(&wasi, 1), 0U);
    EXPECT_NE(Z_wasi_snapshot_preview1Z_fd_fdstat_get(&wasi, 1, kMax32), 0U);
    EXPECT_NE(Z_wasi_snapshot_preview1Z_fd_seek(&wasi, 1, 0, 0, kMax32), 0U);
  });
}

}  // namespace
}  // namespace plimsoll::engine
