"""A passage, the same in other words, twice, and in English, and a passage about something else."""

WORK = (
    "那年腊月，河水冻得能走马车。摆渡的老周把船拖上岸，翻过来扣在柳树底下，船底刷了一层新桐油。"
    "他没有别的营生，便在渡口支起一口铁锅，卖热豆浆给过河的人，一碗两个铜板。"
    "有一天傍晚来了个背琴匣的姑娘，冻得说不出话，他给她盛了满满一碗，没有收钱。"
    "姑娘喝完了，把琴匣打开，里面没有琴，只有半匣子干枯的桂花。"
    "她说这是她父亲留下的，要送到对岸的白鹿寺去，寺里的和尚等了它十一年。"
    "老周听了，一句话也没说，提起灯笼，走在前面给她探冰。"
)
REWORDED = (
    "腊月里天寒，河面结的冰厚到马车也压不破。渡船是划不成了，周老汉索性将它弄到岸上，倒扣在柳荫里，还给船底重新上了桐油。"
    "为了糊口，他就在渡口架锅熬豆浆，两文钱一碗，卖给来往的过客。"
    "某日黄昏，一位姑娘背着琴匣走来，嘴唇都冻僵了；老汉二话不说舀了一大碗递过去，分文不取。"
    "豆浆下肚，姑娘掀开匣盖——哪里有什么琴，不过是些枯了的桂花，只装了一半。"
    "据她讲，此物是亡父遗留，须交到河那边白鹿寺的僧人手中，人家已经盼了十一个年头。"
    "周老汉默默听完，拎着灯笼便踏上冰面，替她在前头试路。"
)
AGAIN = (
    "十二月，河上的冰结实得可以跑大车。摆渡人周老头没法行船，把渡船拉到岸边柳树下扣着，船底抹了新桐油。"
    "没别的活路，他在渡头摆了口锅煮热豆浆，过河的人花两个铜钱就能喝一碗。"
    "一天天快黑的时候，走来一个背着琴匣的女孩，冷得开不了口，老周给她舀满一碗，钱也没要。"
    "女孩喝罢打开匣子，匣里并没有琴，只见半匣干桂花。"
    "她告诉他这是父亲生前留下的，得送去对岸白鹿寺，那里的和尚等了足足十一年。"
    "老周一声不响，提了灯笼走在她前头，替她探冰面结实不结实。"
)
ENGLISH = (
    "That winter the river froze so hard that a horse and cart could cross it. Old Zhou the ferryman dragged his "
    "boat ashore, turned it over under the willow tree and gave its bottom a new coat of tung oil. Having no other "
    "living, he set up an iron pot by the ferry and sold hot soy milk to people crossing the river, two coppers a "
    "bowl. One evening a girl came with a zither case on her back, too cold to speak; he filled a bowl for her and "
    "took no money. When she had drunk it she opened the case: there was no zither inside, only dried osmanthus "
    "flowers, half a case of them. She said that her father had left them, and that they were to go to White Deer "
    "Temple on the other bank, where the monk had been waiting for them for eleven years. Old Zhou said not a word, "
    "took up his lantern and walked ahead of her to try the ice."
)
INNOCENT = (
    "市政府昨日召开常务会议，研究部署全市老旧小区加装电梯工作。会议指出，要坚持业主自愿、政府扶持的原则，"
    "简化审批流程，明确各部门责任分工。今年计划完成加装二百四十台，财政补贴标准为每台二十万元。"
    "会议强调，施工单位必须严格遵守安全生产规定，合理安排作业时间，尽量减少对居民日常生活的影响。"
    "会议还听取了防汛准备工作情况汇报，要求各区在汛期到来之前完成排水管网清淤。"
)
