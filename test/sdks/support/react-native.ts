/** Replaces `react-native` in the bundle of the SDK, which reads all of these exports by name. */
type Listener = (state: string) => void;

const listeners = new Set<Listener>();

export const Platform = {
  OS: 'ios',
  Version: '18.1',
  select: (choices: Record<string, unknown>) => choices['ios'] ?? choices['default'],
};
export const AppState = {
  currentState: 'active',
  addEventListener: (_name: string, listener: Listener) => {
    listeners.add(listener);
    return { remove: () => listeners.delete(listener) };
  },
};
export const Dimensions = { get: () => ({ width: 390, height: 844 }) };
export const Linking = {
  getInitialURL: async () => null,
  addEventListener: () => ({ remove: () => undefined }),
  canOpenURL: async () => false,
  openURL: async () => undefined,
};
export const Keyboard = { addListener: () => ({ remove: () => undefined }), dismiss: () => undefined };
export const StyleSheet = { create: (styles: object) => styles };
export const UIManager = { hasViewManagerConfig: () => false };
export const NativeModules = {};
export const useWindowDimensions = Dimensions.get;

/** Nothing is drawn. */
const Nothing = () => null;

export {
  Nothing as KeyboardAvoidingView,
  Nothing as Modal,
  Nothing as Pressable,
  Nothing as ScrollView,
  Nothing as Text,
  Nothing as TextInput,
  Nothing as TouchableOpacity,
  Nothing as View,
};
