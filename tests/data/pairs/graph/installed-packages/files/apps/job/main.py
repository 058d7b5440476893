from shared.flink import environment, uid
from pyflink.common import Types
def main():
    env = environment()
    numbers = env.from_collection([1, 2], type_info=Types.INT()).uid("numbers")
    numbers.key_by(lambda x: x, key_type=Types.INT()).reduce(lambda a, b: a).uid(uid("kept")).print().uid("out")
    env.execute()
if __name__ == "__main__":
    main()
